/** Receives: from the phone to the webhook's receiver, durable and signed, against what bare Baileys sockets decrypt. */
import { arrivingSide, heardBy } from '../support/arrivals.ts';
import { type Child, startChild } from '../../test/system/support/child.ts';
import { compare } from '../support/compare.ts';
import { type Measured, type Scale, rounded } from '../support/measured.ts';
import { Stage } from '../support/stage.ts';
import { numbersFrom } from '../../test/system/support/settings.ts';

const devices = 20;
const writers = numbersFrom(4_915_582_000_000, 8);

const measureWith = async (stage: Stage, receiver: Child, { short }: Scale): Promise<Measured> => {
  const oursNumbers = numbersFrom(4_915_581_000_000, devices);
  const bareNumbers = numbersFrom(4_915_583_000_000, devices);
  await stage.addPhones([...oursNumbers, ...bareNumbers, ...writers]);
  const webhookUrl = await receiver.ask<string>('start');
  await stage.connectOurs(oursNumbers, { webhookUrl, webhookEvents: ['message.received'] });
  await stage.connectBare(bareNumbers);
  await stage.bare.ask('listen');
  const side = (numbers: readonly string[], hears: Child, process: Child) => {
    const arriving = { numbers, writersOf: () => writers, heard: heardBy(hears) };
    return arrivingSide(stage.requests, stage.place.controlUrl, arriving, { cpu: () => process.ask('cpu') });
  };
  const compared = (count: number, each: number) =>
    compare(
      side(oursNumbers.slice(0, count), receiver, stage.ours),
      side(bareNumbers.slice(0, count), stage.bare, stage.bare),
      { count: count * writers.length * each },
      short ? 3 : 5,
    );
  const one = await compared(1, short ? 60 : 200);
  const many = await compared(devices, short ? 4 : 30);
  return {
    figures: {
      receiveRatio: rounded(one.ratio),
      receiveRatio20: rounded(many.ratio),
      receivesPerSecond1: rounded(one.ours),
      receivesPerSecond20: rounded(many.ours),
      bareReceivesPerSecond1: rounded(one.bare),
      bareReceivesPerSecond20: rounded(many.bare),
      receiveCpuMs1: rounded(one.cpuOurs),
      bareReceiveCpuMs1: rounded(one.cpuBare),
      receiveCpuMs20: rounded(many.cpuOurs),
      bareReceiveCpuMs20: rounded(many.cpuBare),
    },
    byCpu: { receiveRatio: one.ratioByCpu, receiveRatio20: many.ratioByCpu },
  };
};

export const measure = async (scale: Scale): Promise<Measured> => {
  await using stage = await Stage.open({ HANDSET_ALLOW_PRIVATE_URLS: 'true' });
  const receiver = startChild('receiver.ts');
  try {
    return await measureWith(stage, receiver, scale);
  } finally {
    await receiver.stop();
  }
};
