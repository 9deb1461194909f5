/** Checks the machine: data folder, disk, secret, database, clock and network. */
import { once } from 'node:events';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { type Config, type OfflineConfig, readConfig } from '../config.ts';
import { messageOf } from '../errors.ts';
import type { KeptFiles } from '../domain/messages/kept-media.ts';
import { openMediaStore, tryMediaStore } from '../media-store/open.ts';
import { inspectDatabase } from '../store/admin/inspect-sqlite.ts';
import { inspectShared } from '../store/admin/shared-database.ts';
import { DevelopmentData } from '../store/migrations/run.ts';
import { isWeak, tooWeak } from '../store/sealing/secret.ts';
import { unreachableBecause } from '../whatsapp/connection/reach.ts';
import { findFfmpeg } from '../whatsapp/media/ffmpeg/ffmpeg.ts';
import { exposureWarning } from './exposure.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

export interface Surroundings {
  readonly network: { readonly host: string; readonly port: number };
  readonly now: () => number;
  readonly timeoutMs: number;
  readonly ca?: string;
}

const realSurroundings: Surroundings = {
  network: { host: 'web.whatsapp.com', port: 443 },
  now: () => Date.now(),
  timeoutMs: 5_000,
};

const mb = (bytes: number): string => `${Math.round(bytes / 1_048_576).toLocaleString('en-US')} MB`;

/** Free space: a busy day can use up the first, an hour the second. */
const lowBytes = 1_073_741_824;
const tooLowBytes = 104_857_600;
/** With a clock minutes off, the network refuses logins and receivers refuse signatures. */
const maxSkewMs = 60_000;

const settingsFindings = (read: () => Config): Finding[] => {
  try {
    const config = read();
    const exposed = exposureWarning(config);
    const ffmpeg = findFfmpeg(config.ffmpeg.setting, config.ffmpeg.searchPath);
    return [
      exposed === null ? ok('settings are valid') : warning(exposed),
      ...(config.secret !== null && isWeak(config.secret) ? [problem(tooWeak('HANDSET_SECRET').message)] : []),
      ok(ffmpeg === null ? 'without ffmpeg, media in other forms is refused' : `${ffmpeg} converts media`),
      ...(config.allowPrivateUrls
        ? [
            warning(
              'HANDSET_ALLOW_PRIVATE_URLS is on: users can reach this network. Name hosts in HANDSET_ALLOWED_PRIVATE_HOSTS instead',
            ),
          ]
        : []),
    ];
  } catch (error) {
    return [problem(`settings: ${messageOf(error)}`)];
  }
};

const modeFinding = (path: string, name: string, wanted: number): Finding[] => {
  const mode = statSync(path).mode & 0o777;
  if ((mode & ~wanted) === 0) return [];
  const fix = `chmod ${wanted.toString(8)} ${path}`;
  return [warning(`${name} can be read by others (mode ${mode.toString(8)}): run "${fix}"`)];
};

const folderFindings = async ({ dataDir, secret }: OfflineConfig): Promise<Finding[]> => {
  if (!existsSync(dataDir)) return [ok(`the data folder ${dataDir} is made at the first start`)];
  const found = [...modeFinding(dataDir, 'the data folder', 0o700)];
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    found.push(problem(`the data folder ${dataDir} cannot be written to: give it to the user that runs Handset`));
  }
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  if (free < tooLowBytes) found.push(problem(`the disk is full: ${mb(free)} are left for ${dataDir}. Make room`));
  else if (free < lowBytes) found.push(warning(`${mb(free)} are left on the disk of ${dataDir}`));
  else found.push(ok(`${mb(free)} are left on the disk of ${dataDir}`));
  const secretFile = join(dataDir, 'secret');
  if (existsSync(secretFile)) found.push(...modeFinding(secretFile, 'the secret', 0o600));
  else if (secret === null && existsSync(join(dataDir, 'handset.db'))) {
    found.push(problem(`the secret is missing: set HANDSET_SECRET, or put ${secretFile} back from where you keep it`));
  }
  return found;
};

const unfinished = problem('a rotation of the secret is unfinished: run "handset rotate-secret"');
const otherSecret = problem('the database is sealed with another secret: set the one of its time');

const databaseFindings = async ({ dataDir, secret }: OfflineConfig): Promise<Finding[]> => {
  try {
    const state = await inspectDatabase(dataDir, secret);
    if (state === null) return [];
    const size = `the database has ${mb(state.bytes)}`;
    if (!state.sound) return [problem(`the database is damaged (${state.verdict}): restore a backup`)];
    if (state.rotating) return [unfinished];
    if (state.opens === false) return [otherSecret];
    return [ok(`${size} and is sound${state.inUse ? '; a Handset process is using it' : ''}`)];
  } catch (error) {
    if (error instanceof DevelopmentData) return [problem(error.message)];
    return [problem(`the database cannot be read: ${messageOf(error)}`)];
  }
};

/** A server setting that weakens durability is a problem, since the start refuses it; a warning with `HANDSET_DURABILITY=process`. */
const sharedFindings = async (
  databaseUrl: string,
  { secret, durability }: Pick<OfflineConfig, 'secret' | 'durability'>,
): Promise<Finding[]> => {
  if (secret === null) return [problem('HANDSET_SECRET is not set: every node seals with the same one')];
  try {
    const { bytes, nodes, rotating, opens, unsafe } = await inspectShared(databaseUrl, secret);
    const given = unsafe.map((text) => (durability === 'process' ? warning(text) : problem(`${text}. Switch it on`)));
    if (rotating) return [unfinished, ...given];
    if (opens === false) return [otherSecret, ...given];
    const running = nodes === 1 ? '1 node is running' : `${nodes} nodes are running`;
    return [ok(`PostgreSQL answers; its database has ${mb(bytes)}, ${running}`), ...given];
  } catch (error) {
    return [problem(messageOf(error))];
  }
};

const askDate = async ({ network, timeoutMs, ca }: Surroundings): Promise<number> => {
  const asked = request({ ...network, ...(ca === undefined ? {} : { ca }), method: 'HEAD', agent: false });
  asked.setTimeout(timeoutMs, () => asked.destroy()).end();
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  answer!.resume();
  return Date.parse(answer!.headers.date ?? '');
};

const networkFindings = async (around: Surroundings): Promise<Finding[]> => {
  const { network, timeoutMs, ca } = around;
  const { host, port } = network;
  const why = await unreachableBecause(`wss://${host}:${port}`, { timeoutMs, ...(ca === undefined ? {} : { ca }) });
  if (why !== null)
    return [
      problem(
        `${why}: check DNS, allow outgoing TLS to port ${port} in the firewall, and look for a proxy that opens TLS`,
      ),
    ];
  const reached = ok(`the messaging network answers at ${host}:${port}`);
  const skew = Math.abs((await askDate(around).catch(() => Number.NaN)) - around.now());
  if (Number.isNaN(skew)) return [reached];
  if (skew <= maxSkewMs) return [reached, ok('the clock is right')];
  const minutes = Math.round(skew / 60_000);
  return [reached, problem(`the clock is off by ${minutes} minutes: turn on NTP ("timedatectl set-ntp true")`)];
};

const mediaFindings = async (read: () => Config): Promise<Finding[]> => {
  let files: KeptFiles | null = null;
  try {
    const config = read();
    if (config.mediaStore === null) return [];
    files = openMediaStore(config);
    if (files !== null) await tryMediaStore(files);
    return [ok(`kept media can be written, read and removed in ${files?.place ?? ''}`)];
  } catch (error) {
    if (files === null) return [];
    return [problem(`kept media cannot be stored in ${files.place}: ${messageOf(error)}`)];
  } finally {
    await files?.close();
  }
};

export const checkUp = async (
  config: OfflineConfig,
  around: Surroundings = realSurroundings,
  read: () => Config = () => readConfig(),
): Promise<readonly Finding[]> => [
  ...settingsFindings(read),
  ...(config.databaseUrl
    ? await sharedFindings(config.databaseUrl, config)
    : [...(await folderFindings(config)), ...(await databaseFindings(config))]),
  ...(await mediaFindings(read)),
  // `npm start -- --sandbox` keeps the sandbox there.
  ...(config.sandboxed || existsSync(join(config.dataDir, 'sandbox')) ? [] : await networkFindings(around)),
];
