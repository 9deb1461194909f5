/** `handset doctor`: checks for common problems and says how to fix them. */
import { existsSync } from 'node:fs';
import type { ClientConfig } from '../../config.ts';
import { messageOf } from '../../errors.ts';
import { type Finding, ok, problem, warning } from '../../main/finding.ts';
import { type Client, CommandError, exitCodes, type Answer, type Device, type Things } from '../../mcp/client.ts';
import type { Command } from '../command/command.ts';
import { type Painted, paint } from '../terminal/paint.ts';

type Me = Answer<'getMe'>;

type Hook = Things['AdditionalWebhook'];

type Session = Things['Session'];

/** Webhook receivers reject timestamps more than this off (Standard Webhooks). */
const maxSkewMs = 5 * 60_000;
const neededNode = 24;
/** More would exceed the rate limit. */
const maxDevices = 30;

const marks: Readonly<Record<Finding['verdict'], Painted>> = {
  ok: paint('good', 'ok      '),
  warning: paint('warn', 'warning '),
  problem: paint('bad', 'PROBLEM '),
};

const nodeFinding = (): Finding =>
  Number(process.versions.node.split('.')[0]) >= neededNode
    ? ok(`Node ${process.versions.node}`)
    : problem(`Node ${process.versions.node} is too old; Handset needs ${neededNode} or newer`);

const localFindings = async ({ offline }: ClientConfig): Promise<readonly Finding[]> => {
  if (!existsSync(offline.dataDir) && !offline.databaseUrl) return [];
  const { checkUp } = await import('../../main/offline.ts');
  return checkUp(offline);
};

interface Details {
  readonly network: { readonly problem: string | null };
  readonly clientVersion: {
    readonly version: string;
    readonly source: string;
    readonly ageDays: number | null;
    readonly problem: string | null;
    readonly warning: string | null;
  };
  readonly eventLoop: {
    readonly blocked: number;
    readonly longestMs: number;
    readonly operation: string | null;
    readonly lastAt: string | null;
  };
  readonly unread: { readonly slow: number; readonly stuck: number };
}

/** Null: it is not Handset that answers, but perhaps a proxy before it. */
const detailsIn = (body: string): Details | null => {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service's own answer
    return (JSON.parse(body) as { details?: Details } | null)?.details ?? null;
  } catch {
    return null;
  }
};

function* clientFindings({ network, clientVersion }: Details): Generator<Finding> {
  if (network.problem !== null) yield problem(`the service says: ${network.problem}`);
  const { version, source, ageDays, warning: words } = clientVersion;
  const age = ageDays === null ? '' : `, ${ageDays} ${ageDays === 1 ? 'day' : 'days'} old`;
  yield words === null ? ok(`client version ${version} (${source}${age})`) : warning(`${words} (docs/linking.md)`);
  if (clientVersion.problem !== null)
    yield warning(`the network's version page gave no newer client version: ${clientVersion.problem}`);
}

function* troubleFindings({ eventLoop, unread }: Details): Generator<Finding> {
  const { blocked, longestMs, operation, lastAt } = eventLoop;
  if (blocked > 0) {
    const seconds = (longestMs / 1_000).toFixed(1);
    yield warning(
      `the service stood still for more than a second ${blocked} ${blocked === 1 ? 'time' : 'times'} since its start, last at ${lastAt}, for ${seconds} s at most (${operation ?? 'unknown operation'}): its log names the device (docs/operations.md)`,
    );
  } else yield ok('the service has not stood still since its start');
  if (unread.slow + unread.stuck > 0)
    yield warning(
      `${unread.slow + unread.stuck} messages were stored as unknown without being read (${unread.slow} took too long, ${unread.stuck} ended the process): "handset reread" reads them after an upgrade`,
    );
}

async function* serviceFindings(url: string, signal: AbortSignal): AsyncGenerator<Finding> {
  let response: Response;
  try {
    response = await fetch(`${url}/health/ready`, { signal });
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new CommandError(`no service answers at ${url} (${messageOf(cause)})`, exitCodes.unreachable);
  }
  const body = await response.text();
  const refusal = body.slice(0, 300);
  yield response.ok ? ok(`service at ${url} is ready`) : problem(`service at ${url} is not ready: ${refusal}`);
  const details = detailsIn(body);
  if (details !== null) {
    yield* clientFindings(details);
    yield* troubleFindings(details);
  }
  const skew = Math.abs(Date.parse(response.headers.get('date') ?? '') - Date.now());
  if (skew > maxSkewMs) {
    yield problem(
      `the clocks differ by ${Math.round(skew / 60_000)} minutes; receivers refuse webhooks with an old timestamp`,
    );
  }
}

async function* accountFindings(client: Client): AsyncGenerator<Finding> {
  const { user, service } = await client.call<Me>('GET', '/me');
  yield ok(`version ${service.version}, logged in as ${user.name}`);
  if (service.network === 'sandbox') yield warning('the network is the sandbox: no message leaves that machine');
  const full = user.activeDevices >= user.deviceLimit;
  const use = `${user.activeDevices} of ${user.deviceLimit} devices are active`;
  yield full ? warning(`${use}: no further device can be created`) : ok(use);
}

/** The next step until the device is connected (docs/linking.md). */
const linkFinding = (label: string, { id, status }: Device, { state, reason, phoneNumber }: Session): Finding => {
  const why = reason ?? `session ${state}`;
  if (state === 'passkey_required') {
    return warning(`${label} waits for a passkey: ${why} Run "handset device passkey ${id}"; see docs/linking.md`);
  }
  const linked = phoneNumber !== null;
  const text = `${label} is not ${linked || status === 'timeout' ? 'connected' : 'linked yet'}: ${why}`;
  const unlinked = linked ? '' : ' (docs/linking.md)';
  return status === 'qr' || state === 'connecting' ? warning(`${text}${unlinked}`) : problem(`${text}${unlinked}`);
};

/** A disabled or missing webhook is a choice, not a finding. */
async function* webhookFindings(client: Client, label: string, path: string, whose: string): AsyncGenerator<Finding> {
  const { webhooks } = await client.call<{ webhooks: readonly Hook[] }>('GET', path);
  for (const { id, url, health, failingSince, enabled } of webhooks) {
    if (url === null || !enabled) continue;
    const [name, member] = id === 'primary' ? ['its webhook', 'webhookUrl'] : [`its webhook ${id}`, 'its url'];
    if (health === 'failing')
      yield problem(
        `${label}: ${name} has been failing since ${failingSince ?? 'a while ago'}: "handset delivery list ${whose} ${id}" says why`,
      );
    else if (health === 'disabled')
      yield problem(`${label}: ${name} answered 410 and is stopped; set ${member} again to start it`);
    else yield ok(`${label}: ${name} is healthy`);
  }
}

async function* deviceFindings(client: Client, device: Device): AsyncGenerator<Finding> {
  const label = `device ${device.id} (${device.name})`;
  if (device.subscription_status === 'inactive') {
    yield ok(`${label} is inactive`);
  } else {
    const { session } = await client.call<{ session: Session }>('GET', `/devices/${device.id}/session`);
    if (device.status !== 'connected') yield linkFinding(label, device, session);
    else if (session.backlog?.state === 'stalled') yield warning(`${label}: ${session.reason} (docs/real-network.md)`);
    else yield ok(`${label} is connected`);
  }
  yield* webhookFindings(client, label, `/devices/${device.id}/webhooks`, String(device.id));
}

async function* allDeviceFindings(client: Client): AsyncGenerator<Finding> {
  const { devices } = await client.call<{ devices: readonly Device[] }>('GET', '/devices');
  for (const device of devices.slice(0, maxDevices)) yield* deviceFindings(client, device);
  if (devices.length > maxDevices)
    yield warning(`only the first ${maxDevices} of ${devices.length} devices were checked`);
}

export const doctor: Command = {
  words: 'doctor',
  summary: 'Check the service, its devices and webhooks for problems',
  positionals: [],
  async run({ client: connect, config, out, signal }) {
    let problems = 0;
    const tell = (finding: Finding): void => {
      if (finding.verdict === 'problem') problems += 1;
      out.value(finding);
      out.line(marks[finding.verdict], finding.text);
    };
    tell(nodeFinding());
    for (const finding of await localFindings(config)) tell(finding);
    const client = connect();
    for await (const finding of serviceFindings(client.url, signal)) tell(finding);
    for await (const finding of accountFindings(client)) tell(finding);
    for await (const finding of allDeviceFindings(client)) tell(finding);
    for await (const finding of webhookFindings(client, 'all devices', '/webhooks', 'all')) tell(finding);
    if (problems > 0) throw new CommandError(`${problems} ${problems === 1 ? 'problem' : 'problems'} found`);
  },
};
