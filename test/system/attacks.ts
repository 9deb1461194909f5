/**
 * Attacks from outside on the service at default settings (`npm run attacks`): for each the slowest answer of `/health/live`, median and p99 of other tenants
 * alone and under attack, and the most memory that was resident. Exits with 1 where a bar does not hold. An attack is a file in `attacks/`.
 *
 * `--only NAME` runs one. `--seconds` is the time alone, and as much under attack, by turns in `--rounds`: with the default each side has more than 1,000 answers
 * (fewer where tenants send pictures or connect again, which they do less often). The service, the tenants' client, the network and the attacker are processes of
 * their own. The latter two would be other machines: here they run when nobody else wants a processor (SCHED_IDLE, sched(7)), so that what they take is not counted as the service's.
 * A machine that does other things meanwhile measures those.
 */
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/errors.ts';
import { attacks } from './attacks/all.ts';
import { faultsIn } from './support/logged.ts';
import { measure, type Outcome } from './attacks/stage.ts';

const mega = 1_048_576;
const maxResidentBytes = 512 * mega;
/** Under attack, another tenant's p99 is at most so many times as long as alone. */
const maxSlowdown = 2;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '2' },
    // For machines that do other things meanwhile: so many milliseconds more are not counted.
    slack: { type: 'string', default: '0' },
  },
});
const [seconds, rounds, slackMs] = [Number(values.seconds), Number(values.rounds), Number(values.slack)];
const wanted = attacks.filter(({ name }) => values.only === undefined || name === values.only);
if (wanted.length === 0) throw new Error(`--only must be one of ${attacks.map(({ name }) => name).join(', ')}`);

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;

const shown = ({ name, alone, attacked, residentBytes }: Outcome, problems: readonly string[]): string => {
  const [{ times: before }, { times: during }] = [alone, attacked];
  const compared = (share: number): string =>
    `${quantile(before, share).toFixed(1)} -> ${quantile(during, share).toFixed(1)} ms`;
  return [
    `${name}: /health/live at worst ${alone.worstHealthMs.toFixed(0)} -> ${attacked.worstHealthMs.toFixed(0)} ms`,
    `others p50 ${compared(0.5)}, p99 ${compared(0.99)}, of ${before.length} and ${during.length} answers`,
    `resident ${(residentBytes / mega).toFixed(0)} MB`,
    ...problems,
  ].join(', ');
};

const problemsOf = ({ alone, attacked, residentBytes, errors }: Outcome): readonly string[] => [
  ...(residentBytes < maxResidentBytes ? [] : ['too much memory']),
  ...(quantile(attacked.times, 0.99) <= quantile(alone.times, 0.99) * maxSlowdown + slackMs
    ? []
    : ['other tenants are slower than twice']),
  ...Object.entries(attacked.failures).map(([what, count]) => `${count} times ${what}`),
  ...faultsIn(errors),
];

let held = true;
for (const attack of wanted) {
  try {
    const outcome = await measure(attack, { seconds, rounds });
    const problems = problemsOf(outcome);
    held &&= problems.length === 0;
    process.stdout.write(`${shown(outcome, problems)}\n`);
  } catch (error) {
    held = false;
    process.stdout.write(`${attack.name}: ${messageOf(error)}\n`);
  }
}
process.exit(held ? 0 : 1);
