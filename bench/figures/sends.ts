/** Sends: `POST /messages/text` end to end, durable and acked, against a bare Baileys socket with its keys in memory. */
import { compare } from '../support/compare.ts';
import { type Measured, type Scale, median, quantile, rounded } from '../support/measured.ts';
import { paced } from '../support/paced.ts';
import { peer, peerJid, sidesOf } from '../support/texts.ts';
import { Stage } from '../support/stage.ts';
import { numbersFrom } from '../../test/system/support/settings.ts';

const inFlight = 16;
const devices = 20;

export const measure = async ({ short }: Scale): Promise<Measured> => {
  await using stage = await Stage.open();
  const oursNumbers = numbersFrom(4_916_000_000_000, devices);
  const bareNumbers = numbersFrom(4_917_000_000_000, devices);
  await stage.addPhones([peer, ...oursNumbers, ...bareNumbers]);
  const ids = await stage.connectOurs(oursNumbers);
  await stage.connectBare(bareNumbers);
  const { ours, bare } = sidesOf(stage, ids);
  const rounds = short ? 3 : 5;
  const one = await compare(ours, bare, { count: short ? 200 : 800, devices: 1, inFlight }, rounds);
  const many = await compare(ours, bare, { count: short ? 400 : 3200, devices, inFlight }, rounds);
  const perSecond = Math.min(one.ours, one.bare) / 2;
  const count = short ? 50 : 200;
  const text = (): Promise<unknown> =>
    stage.ask(`/devices/${ids[0]!}/messages/text`, { toNumber: peer, message: 'paced' });
  // In turns, so that other load of the machine does not count as added time.
  const slices: { readonly ours: readonly number[]; readonly bare: readonly number[] }[] = [];
  for (let slice = 0; slice < 3; slice += 1) {
    slices.push({
      ours: await paced(text, perSecond, count),
      bare: await stage.bare.ask<number[]>('paced', { count, perSecond, to: peerJid }),
    });
  }
  const added = (q: number): number => median(slices.map((slice) => quantile(slice.ours, q) - quantile(slice.bare, q)));
  return {
    figures: {
      sendRatio1: rounded(one.ratio),
      sendRatio20: rounded(many.ratio),
      sendsPerSecond1: rounded(one.ours),
      sendsPerSecond20: rounded(many.ours),
      bareSendsPerSecond1: rounded(one.bare),
      bareSendsPerSecond20: rounded(many.bare),
      sendCpuMs1: rounded(one.cpuOurs),
      bareSendCpuMs1: rounded(one.cpuBare),
      sendCpuMs20: rounded(many.cpuOurs),
      bareSendCpuMs20: rounded(many.cpuBare),
      // Of the CPU time of both processes, as cores are what a busy machine runs out of.
      perCoreRatio: rounded(many.ratioByCpu),
      sendP50Ms: rounded(median(slices.map(({ ours: times }) => quantile(times, 0.5)))),
      sendP99Ms: rounded(median(slices.map(({ ours: times }) => quantile(times, 0.99)))),
      sendAddedP50Ms: rounded(added(0.5)),
      sendAddedP99Ms: rounded(added(0.99)),
    },
    byCpu: { sendRatio1: one.ratioByCpu, sendRatio20: many.ratioByCpu },
  };
};
