/**
 * `npm run bench:runtime -- path/to/bun [--dry]`: the service and bare sockets on another runtime beside the same on this Node, in turns:
 * CPU time of a text, rates, and memory. Writes the figures beside those of `bench:all`.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { runtimeOf, thisNode } from './support/child.ts';
import { compare } from './support/compare.ts';
import { rounded } from './support/measured.ts';
import { keepMore } from './support/record.ts';
import { Stage, numbersFrom } from './support/stage.ts';
import { peer, sidesOf } from './support/texts.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { dry: { type: 'boolean', default: false }, count: { type: 'string', default: '1200' } },
});
const [program] = positionals;
if (program === undefined) throw new Error('Say which program to compare with: npm run bench:runtime -- path/to/bun');
const devices = 20;
const inFlight = 16;

const linked = async (stage: Stage) => {
  const [ours, bare] = [numbersFrom(4_916_000_000_000, devices), numbersFrom(4_917_000_000_000, devices)];
  await stage.addPhones([peer, ...ours, ...bare]);
  const sides = sidesOf(stage, await stage.connectOurs(ours));
  await stage.connectBare(bare);
  return sides;
};

const mega = 1_048_576;
const memory = async (stage: Stage) => rounded((await stage.ours.ask<number>('resident')) / mega);

const load = loadavg()[0]!;
await using node = await Stage.open({}, thisNode);
await using other = await Stage.open({}, runtimeOf(program));
const [onNode, onOther] = [await linked(node), await linked(other)];
const order = { count: Number(values.count), devices, inFlight };
const service = await compare(onOther.ours, onNode.ours, order, 4);
const one = await compare(onOther.ours, onNode.ours, { ...order, devices: 1 }, 4);
const bare = await compare(onOther.bare, onNode.bare, order, 4);
const figures = {
  // Of the other runtime, against this Node.
  runtimeSendRatio1: rounded(one.ratio),
  runtimeSendRatio20: rounded(service.ratio),
  runtimeBareSendRatio20: rounded(bare.ratio),
  runtimeSendCpuMs20: rounded(service.cpuOurs),
  runtimeNodeSendCpuMs20: rounded(service.cpuBare),
  runtimeBareSendCpuMs20: rounded(bare.cpuOurs),
  runtimeNodeBareSendCpuMs20: rounded(bare.cpuBare),
  runtimeResidentMb: await memory(other),
  runtimeNodeResidentMb: await memory(node),
  runtimeLoad: rounded(load),
};
for (const [name, value] of Object.entries(figures)) console.log(`  ${name.padEnd(28)} ${value}`);
if (!values.dry) await keepMore(figures);
