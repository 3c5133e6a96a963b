import { Gauge, type Registry } from 'prom-client';

/** A gauge that is read when it is asked for. */
export function gauge(registry: Registry, name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}
