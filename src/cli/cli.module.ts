import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ConsumersModule } from '../consumers/consumers.module';
import { PlatformModule, type PlatformOptions } from '../platform/platform.module';
import { TouchpointsModule } from '../touchpoints/touchpoints.module';
import { AuditCommand, AuditExplainCommand, AuditListCommand } from './audit.commands';
import { ConsumerEraseCommand } from './consumer-erase.command';
import { ConsumerExportCommand } from './consumer-export.command';
import { ConsumerSessionsCommand, ConsumerSessionsRevokeCommand } from './consumer-sessions.commands';
import { ConsumerShowCommand } from './consumer-show.command';
import { TransferModule } from '../consumers/transfer/transfer.module';
import { ConsumerExportAllCommand } from './consumer-export-all.command';
import { ConsumerImportCommand } from './consumer-import.command';
import { ConsumerCommand } from './consumer.command';
import { DbCommand, DbMigrateCommand, DbStatusCommand } from './db.commands';
import { KeysCommand, KeysGenerateCommand, KeysListCommand } from './keys.commands';
import { MessageCommand, MessageListCommand } from './message.commands';
import { TouchpointCreateCommand } from './touchpoint-create.command';
import { TouchpointDisableCommand, TouchpointEnableCommand } from './touchpoint-enable.commands';
import { TouchpointListCommand } from './touchpoint-list.command';
import { TouchpointProviderAddCommand } from './touchpoint-provider-add.command';
import {
  TouchpointProviderCommand,
  TouchpointProviderListCommand,
  TouchpointProviderRemoveCommand,
} from './touchpoint-provider.command';
import { TouchpointRotateKeyCommand } from './touchpoint-rotate-key.command';
import { TouchpointShowCommand } from './touchpoint-show.command';
import { TouchpointUpdateCommand } from './touchpoint-update.command';
import { TouchpointCommand } from './touchpoint.command';

/** The command line: each command parses, calls one service and prints one thing. */
@Module({})
export class CliModule {
  static forRoot(options: Omit<PlatformOptions, 'role'>): DynamicModule {
    return {
      module: CliModule,
      imports: [
        PlatformModule.forRoot({ ...options, role: 'cli' }),
        TouchpointsModule,
        AuthModule,
        ConsumersModule,
        TransferModule,
      ],
      providers: [
        AuditCommand,
        AuditExplainCommand,
        AuditListCommand,
        ConsumerCommand,
        ConsumerEraseCommand,
        ConsumerExportCommand,
        ConsumerSessionsCommand,
        ConsumerSessionsRevokeCommand,
        ConsumerShowCommand,
        ConsumerExportAllCommand,
        ConsumerImportCommand,
        DbCommand,
        DbMigrateCommand,
        DbStatusCommand,
        KeysCommand,
        KeysGenerateCommand,
        KeysListCommand,
        MessageCommand,
        MessageListCommand,
        TouchpointCommand,
        TouchpointCreateCommand,
        TouchpointDisableCommand,
        TouchpointEnableCommand,
        TouchpointListCommand,
        TouchpointProviderAddCommand,
        TouchpointProviderCommand,
        TouchpointProviderListCommand,
        TouchpointProviderRemoveCommand,
        TouchpointRotateKeyCommand,
        TouchpointShowCommand,
        TouchpointUpdateCommand,
      ],
    };
  }
}
