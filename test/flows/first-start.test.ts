/** The first start, as a newcomer sees it: the program itself, in a process of its own. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { api } from '../support/api.ts';
import { phonesOf } from '../support/phones.ts';
import { eventually } from '../support/wait.ts';
import { ada, bob } from './steps.ts';

const root = join(import.meta.dirname, '..', '..');
const serve = join(root, 'src', 'cli', 'serve.js');

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** All output so far. */
  output(): string;
}

const children: ChildProcess[] = [];

const run = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  [program, ...first]: readonly [string, ...string[]] = [process.execPath, serve],
): Run => {
  const child = spawn(program, [...first, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, HANDSET_PORT: '0', ...env },
  });
  children.push(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  // With all that it has said.
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, output: () => text };
};

const untilListening = (service: Run): Promise<string> =>
  eventually('it listens', () => /Handset listens on (\S+)/.exec(service.output())?.[1]);

describe('npm start', () => {
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'handset-start-'));
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });

  it('names the setting that is wrong, and ends', async () => {
    const service = run([], { HANDSET_DATA_DIR: dataDir, HANDSET_RATE_LIMIT: '0' });
    assert.equal(await service.ended, 1);
    assert.match(service.output(), /Handset cannot start: HANDSET_RATE_LIMIT must be a whole number/);
  });

  it('ends where the data folder cannot be made, with the sandbox too', async () => {
    for (const args of [[], ['--sandbox']]) {
      const service = run(args, { HANDSET_DATA_DIR: '/proc/handset' });
      assert.equal(await service.ended, 1);
      assert.match(service.output(), /folder \/proc\/handset cannot be made/);
    }
  });

  it('says what keeps it from starting, and prints the key at the first start that succeeds', async () => {
    const folder = join(dataDir, 'late');
    const occupied = createServer().listen(0, '127.0.0.1');
    await once(occupied, 'listening');
    const { port } = occupied.address() as AddressInfo;
    const failed = run([], { HANDSET_DATA_DIR: folder, HANDSET_PORT: String(port), HANDSET_PROT: '9000' });
    assert.equal(await failed.ended, 1);
    assert.match(failed.output(), /HANDSET_PORT: port \d+ on 127\.0\.0\.1 is in use by another program/);
    assert.match(failed.output(), /HANDSET_PROT is not a setting; did you mean HANDSET_PORT\?/);
    occupied.close();

    // As npm runs the script, which passes signals to the shell alone.
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
    const started = run([], { HANDSET_DATA_DIR: folder }, ['sh', '-c', scripts.start]);
    const url = await untilListening(started);
    await eventually('the key', () => /hs_[A-Za-z0-9_-]{43}/.test(started.output()));
    started.child.kill('SIGTERM');
    assert.equal(await started.ended, 0);
    await assert.rejects(fetch(url), 'the service has ended with the shell');

    const file = run([], { HANDSET_DATA_DIR: import.meta.filename });
    assert.equal(await file.ended, 1);
    assert.match(file.output(), /first-start\.test\.ts is a file, not a folder/);
  });

  it('runs service and sandbox, prints the key once, refuses a second process, survives kill -9', async () => {
    const first = run(['--sandbox'], { HANDSET_DATA_DIR: dataDir });
    const url = await untilListening(first);
    await eventually('the whole banner', () => first.output().includes('Send a first message'));
    const key = /hs_[A-Za-z0-9_-]{43}/.exec(first.output())![0];
    const control = /http:\S+\/sandbox/.exec(first.output())![0];
    assert.equal((await fetch(`${url}/health/ready`)).status, 200);

    const second = run([], { HANDSET_DATA_DIR: dataDir, HANDSET_NETWORK: control });
    assert.equal(await second.ended, 1);
    assert.match(second.output(), /is in use by another Handset process/);

    const phones = phonesOf(control);
    await phones.add(ada, 'Ada');
    await phones.add(bob, 'Bob');
    const client = api(`${url}/v1`, key);
    const { device } = (await client.post('/devices', { name: 'first' })).body;
    await phones.scan(ada, device.qr);
    await eventually('connected', async () => (await client.get('/devices/1')).body.device.status === 'connected');
    assert.equal((await client.post('/devices/1/messages/text', { toNumber: bob, message: 'one' })).status, 200);

    first.child.kill('SIGKILL');
    await first.ended;
    await eventually('the sandbox has ended with it', () =>
      fetch(control).then(
        () => false,
        () => true,
      ),
    );

    const elsewhere = run([], { HANDSET_DATA_DIR: dataDir });
    assert.equal(await elsewhere.ended, 1);
    assert.match(elsewhere.output(), /are linked on the sandbox, and would lose their links on WhatsApp/);

    const again = run(['--sandbox'], { HANDSET_DATA_DIR: dataDir });
    const newUrl = await untilListening(again);
    assert.doesNotMatch(again.output(), /hs_[A-Za-z0-9_-]{43}/);
    const later = api(`${newUrl}/v1`, key);
    const sent = await eventually('a send without a scan', async () => {
      const answer = await later.post('/devices/1/messages/text', { toNumber: bob, message: 'two' });
      return answer.status === 200 && answer;
    });
    assert.equal(sent.body.status, 'success');
    assert.equal((await later.get('/devices/1')).body.device.messagesSent, 2);
    again.child.kill('SIGTERM');
    assert.equal(await again.ended, 0);
  });
});
