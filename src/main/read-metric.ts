/** Metrics whose value is computed when read. */
import { Counter, Gauge, type Registry } from 'prom-client';

/** A counter if the name ends like one, otherwise a gauge. */
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
