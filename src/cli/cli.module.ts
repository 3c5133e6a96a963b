import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { PlatformModule, type PlatformOptions } from '../platform/platform.module';

/**
 * One command of the command line: the platform, and the features that it administers, whose services it calls. What a
 * command is called and prints is in the files beside; it owns no table.
 */
@Module({})
export class CliModule {
  static forRoot(
    options: Omit<PlatformOptions, 'role'>,
    { imports = [], providers = [] }: Pick<ModuleMetadata, 'imports' | 'providers'>,
  ): DynamicModule {
    return {
      module: CliModule,
      imports: [PlatformModule.forRoot({ ...options, role: 'cli' }), ...imports],
      providers,
    };
  }
}
