import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { PlatformModule, type PlatformOptions } from '../platform/platform.module';

/** What one command needs: the platform, and the features that it administers. */
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
