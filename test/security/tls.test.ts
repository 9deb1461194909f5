/** HTTPS by two files: the certificate is renewed without a restart, and what cannot be used does no harm. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TLSSocket, connect } from 'node:tls';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { generate } from 'selfsigned';
import { readConfig } from '../../src/config.ts';
import { readCertificate, watchCertificate } from '../../src/main/certificate.ts';
import { exposureWarning } from '../../src/main/exposure.ts';
import { manualClock } from '../support/clock.ts';
import { startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';

const silent = pino({ level: 'silent' });

interface Pair {
  readonly cert: string;
  readonly key: string;
}

const pair = async (name: string): Promise<Pair> => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], { keyType: 'ec' });
  return { cert, key };
};

let folder = '';
let first: Pair;
let second: Pair;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handset-tls-'));
  [first, second] = await Promise.all([pair('first.example'), pair('second.example')]);
});
after(() => rm(folder, { recursive: true }));

const filesIn = async (name: string, { cert, key }: Pair) => {
  const files = { certFile: join(folder, `${name}.pem`), keyFile: join(folder, `${name}.key`) };
  await writeFile(files.certFile, cert);
  await writeFile(files.keyFile, key);
  return files;
};

const ask = (url: string, agent: Agent): Promise<{ status: number; subject: string; hsts: string | undefined }> =>
  new Promise((resolve, reject) => {
    const request = get(`${url}/health/live`, { agent }, (response) => {
      const subject = `CN=${String((response.socket as TLSSocket).getPeerCertificate().subject.CN)}`;
      const hsts = response.headers['strict-transport-security'];
      response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, subject, hsts }));
    });
    request.on('error', reject);
  });

test('the service speaks HTTPS, and takes up a renewed certificate while connections go on', async () => {
  const files = await filesIn('live', first);
  await using installation = await startInstallation({
    HANDSET_TLS_CERT: files.certFile,
    HANDSET_TLS_KEY: files.keyFile,
  });
  const { url } = installation.handset;
  assert.match(url, /^https:/);
  const kept = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const fresh = new Agent({ keepAlive: false, rejectUnauthorized: false, maxCachedSessions: 0 });
  const before_ = await ask(url, kept);
  assert.deepEqual([before_.status, before_.subject, before_.hsts], [200, 'CN=first.example', 'max-age=31536000']);
  await writeFile(files.certFile, 'half a certifi');
  await installation.handset.reload();
  assert.equal((await ask(url, fresh)).subject, 'CN=first.example', 'a broken renewal changes nothing');
  await filesIn('live', second);
  await installation.handset.reload();
  assert.equal((await ask(url, fresh)).subject, 'CN=second.example');
  assert.equal((await ask(url, kept)).subject, 'CN=first.example', 'the open connection goes on');
  await assert.rejects(fetch(url.replace('https', 'http')), 'there is no plain HTTP beside it');
  const old = connect({ port: Number(new URL(url).port), maxVersion: 'TLSv1.1', rejectUnauthorized: false });
  await new Promise((resolve) => old.once('error', resolve).once('secureConnect', () => assert.fail('TLS 1.1')));
  kept.destroy();
  fresh.destroy();
});

test('a renewal is noticed by itself, also when a link is swapped', async () => {
  const clock = manualClock();
  await filesIn('one', first);
  await filesIn('two', second);
  const files = { certFile: join(folder, 'link.pem'), keyFile: join(folder, 'link.key') };
  const point = async (name: string): Promise<void> => {
    for (const kind of ['pem', 'key']) {
      await symlink(join(folder, `${name}.${kind}`), join(folder, `new.${kind}`));
      await rename(join(folder, `new.${kind}`), join(folder, `link.${kind}`));
    }
  };
  await point('one');
  const renewed: string[] = [];
  const watch = watchCertificate({
    files,
    renew: ({ cert }) => void renewed.push(new X509Certificate(cert).subject),
    clock,
    log: silent,
  });
  await eventually('the first look', () => clock.waiting === 1);
  await clock.advance(5_000);
  await eventually('the second look', () => clock.waiting === 1);
  await point('two');
  await clock.advance(5_000);
  await eventually('the renewal', () => renewed.length === 1);
  assert.deepEqual(renewed, ['CN=second.example']);
  watch.stop();
});

test('files that are missing or do not fit are told at the start, in plain words', async () => {
  const mixed = await filesIn('mixed', { cert: first.cert, key: second.key });
  await assert.rejects(readCertificate(mixed), /HANDSET_TLS_CERT and HANDSET_TLS_KEY are no certificate with its key/);
  await assert.rejects(
    readCertificate({ ...mixed, keyFile: join(folder, 'none') }),
    /^Error: HANDSET_TLS_KEY cannot be read/,
  );
  assert.throws(() => readConfig({ HANDSET_TLS_CERT: 'x' }), /must be set together/);
});

test('a network without TLS or a declared proxy gets a warning that says what to do', () => {
  const warningOf = (env: Record<string, string>): string | null => exposureWarning(readConfig(env));
  for (const host of ['127.0.0.1', '::1', 'localhost', '127.9.9.9'])
    assert.equal(warningOf({ HANDSET_HOST: host }), null);
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'box.example']) {
    assert.match(warningOf({ HANDSET_HOST: host }) ?? '', /unencrypted.*HANDSET_TLS_CERT.*HANDSET_TRUST_PROXY/);
  }
  assert.equal(warningOf({ HANDSET_HOST: '0.0.0.0', HANDSET_TRUST_PROXY: '10.0.0.0/8' }), null);
  assert.equal(warningOf({ HANDSET_HOST: '::', HANDSET_TLS_CERT: 'a', HANDSET_TLS_KEY: 'b' }), null);
});

for (const [name, value] of [
  ['HANDSET_ADMIN_TOKEN', 'short'],
  ['HANDSET_ADMIN_TOKEN', `${'x'.repeat(40)} y`],
  ['HANDSET_TRUST_PROXY', 'true'],
  ['HANDSET_TRUST_PROXY', '10.0.0.0/8,proxy.example'],
  ['HANDSET_AUTH_FAILURE_LIMIT', '0'],
  ['HANDSET_USER_CONCURRENCY', '0'],
] as const) {
  test(`${name}=${value} is refused`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error: Error) => {
        assert.match(error.message, new RegExp(`^${name} must be`));
        return name !== 'HANDSET_ADMIN_TOKEN' || !error.message.includes(value);
      },
    );
  });
}
