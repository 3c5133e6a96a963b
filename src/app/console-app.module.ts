import { type DynamicModule, Module } from '@nestjs/common';
import { ConsoleModule } from '../console/console.module';
import { PlatformModule, type PlatformOptions } from '../platform/platform.module';

/**
 * The administration console in a process of its own: no API, no scheduled jobs, no message is handed over. The pages
 * are in `console`, below; nothing stands above. Owns no table.
 */
@Module({})
export class ConsoleAppModule {
  static forRoot(options: Omit<PlatformOptions, 'role'>): DynamicModule {
    return {
      module: ConsoleAppModule,
      imports: [PlatformModule.forRoot({ ...options, role: 'console' }), ConsoleModule],
    };
  }
}
