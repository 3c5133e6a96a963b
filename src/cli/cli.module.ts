import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import type { CommandRunner } from 'nest-commander';
import { PlatformModule, type PlatformOptions } from '../platform/platform.module';

/** The commands of one group, and what they need beside the platform. */
interface Group extends Pick<ModuleMetadata, 'imports' | 'providers'> {
  command: typeof CommandRunner;
}

/** Each group by its name; only the one that is asked for is loaded, since loading is most of what a command takes. */
const GROUPS: Record<string, () => Promise<Group>> = {
  audit: async () => {
    const { AuditCommand } = await import('./audit.commands.js');
    return { command: AuditCommand };
  },
  consumer: async () => {
    const { ConsumerCommand } = await import('./consumer.command.js');
    const { ConsumersModule } = await import('../consumers/consumers.module.js');
    const { TransferModule } = await import('../consumers/transfer/transfer.module.js');
    const { TouchpointsModule } = await import('../touchpoints/touchpoints.module.js');
    return { command: ConsumerCommand, imports: [ConsumersModule, TransferModule, TouchpointsModule] };
  },
  db: async () => {
    const { DbCommand } = await import('./db.commands.js');
    return { command: DbCommand };
  },
  keys: async () => {
    const { KeysCommand } = await import('./keys.commands.js');
    const { JwtKeyRotation } = await import('../auth/jwt-key-rotation.js');
    const { JwtKeysFile } = await import('../auth/jwt-keys-file.js');
    return { command: KeysCommand, providers: [JwtKeyRotation, JwtKeysFile] };
  },
  message: async () => {
    const { MessageCommand } = await import('./message.commands.js');
    return { command: MessageCommand };
  },
  touchpoint: async () => {
    const { TouchpointCommand } = await import('./touchpoint.command.js');
    const { TouchpointsModule } = await import('../touchpoints/touchpoints.module.js');
    return { command: TouchpointCommand, imports: [TouchpointsModule] };
  },
};

/** The command line: each command parses, calls one service and prints one thing. */
@Module({})
export class CliModule {
  /** With the group of this name; with all groups where there is none of this name. */
  static async forGroup(name: string | undefined, options: Omit<PlatformOptions, 'role'>): Promise<DynamicModule> {
    const all = Object.entries(GROUPS);
    const named = all.filter(([known]) => known === name);
    const groups = await Promise.all((named.length > 0 ? named : all).map(([, load]) => load()));
    return {
      module: CliModule,
      imports: [
        PlatformModule.forRoot({ ...options, role: 'cli' }),
        ...new Set(groups.flatMap(({ imports = [] }) => imports)),
      ],
      providers: groups.flatMap(({ command, providers = [] }) => [...command.registerWithSubCommands(), ...providers]),
    };
  }
}
