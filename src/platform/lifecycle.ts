import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

/** Where this process is in its life, for readiness and for connections that should not be kept. */
@Injectable()
export class Lifecycle implements BeforeApplicationShutdown {
  private draining = false;

  get isDraining(): boolean {
    return this.draining;
  }

  beforeApplicationShutdown(): void {
    this.draining = true;
  }
}
