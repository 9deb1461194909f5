/** Metrics whose value is asked for when they are read. */
import { Counter, Gauge, type Registry } from 'prom-client';

/** A gauge that is read when it is asked for; a counter where the name says that it is one. */
export const read = (registry: Registry, name: string, help: string, value: () => number | Promise<number>): void => {
  const options = { name, help, registers: [] };
  registry.registerMetric(
    name.endsWith('_total')
      ? new Counter({
          ...options,
          async collect() {
            const total = await value();
            this.reset();
            this.inc(total);
          },
        })
      : new Gauge({
          ...options,
          async collect() {
            this.set(await value());
          },
        }),
  );
};
