/**
 * Attacks from outside on the service at default settings (`npm run attacks`): for each the slowest answer of `/health/live`, the p99 of other tenants alone
 * and under attack, and the most memory that was resident. `--only NAME` runs one, `--seconds` says how long. Exits with 1 where a bar does not hold. An
 * attack is a file in `attacks/`.
 */
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/errors.ts';
import { media, previews, proxies, webhooks } from './attacks/hosts.ts';
import { pages } from './attacks/pages.ts';
import { type Attack, measure, type Outcome } from './attacks/stage.ts';
import { card, poison, settled, unicode } from './attacks/stranger.ts';
import { streams } from './attacks/streams.ts';
import { unread } from './attacks/unread.ts';

const attacks: readonly Attack[] = [
  card,
  poison,
  pages,
  unread,
  unicode,
  previews,
  settled,
  webhooks,
  media,
  proxies,
  streams,
];

const mega = 1_048_576;
const maxResidentBytes = 512 * mega;
/** Under attack, another tenant's p99 is at most so many times as long as alone. */
const maxSlowdown = 2;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '30' },
    // For machines that do other things meanwhile: so many milliseconds more are not counted.
    slack: { type: 'string', default: '0' },
  },
});
const [seconds, slackMs] = [Number(values.seconds), Number(values.slack)];
const wanted = attacks.filter(({ name }) => values.only === undefined || name === values.only);
if (wanted.length === 0) throw new Error(`--only must be one of ${attacks.map(({ name }) => name).join(', ')}`);

const shown = ({ name, alone, attacked, residentBytes }: Outcome, problems: readonly string[]): string =>
  [
    `${name}: /health/live at worst ${alone.worstHealthMs.toFixed(0)} -> ${attacked.worstHealthMs.toFixed(0)} ms`,
    `p99 of others ${alone.p99Ms.toFixed(1)} -> ${attacked.p99Ms.toFixed(1)} ms of ${attacked.answers} answers`,
    `resident ${(residentBytes / mega).toFixed(0)} MB`,
    ...problems,
  ].join(', ');

const problemsOf = ({ alone, attacked, residentBytes }: Outcome): readonly string[] => [
  ...(residentBytes < maxResidentBytes ? [] : ['too much memory']),
  ...(attacked.p99Ms <= alone.p99Ms * maxSlowdown + slackMs ? [] : ['other tenants are slower than twice']),
  ...Object.entries(attacked.failures).map(([what, count]) => `${count} times ${what}`),
];

let held = true;
for (const attack of wanted) {
  try {
    const outcome = await measure(attack, seconds);
    const problems = problemsOf(outcome);
    held &&= problems.length === 0;
    process.stdout.write(`${shown(outcome, problems)}\n`);
  } catch (error) {
    held = false;
    process.stdout.write(`${attack.name}: ${messageOf(error)}\n`);
  }
}
process.exit(held ? 0 : 1);
