/** `/docs` is served like the dashboard, and the document that it shows says which operation answers which error (docs/spec/http-interface.md, Endpoints). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { operations } from '../../src/contract/operations/all.ts';
import { api } from '../support/api.ts';
import { withHttp } from './harness.ts';

before(() => {
  const build = join(import.meta.dirname, '../../dashboard/build.ts');
  execFileSync(process.execPath, [build, '--required'], { stdio: 'inherit' });
});

test(
  'the page needs no key, names no other host, and lets in no script and style but its own files',
  withHttp(async (http) => {
    const open = api(http.url, null);
    const { status, headers, body } = await open.get('/docs');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.doesNotMatch(body, /https?:\/\/|<style|style=|<script(?![^>]*src)/);
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]) {
      assert.ok(policy.includes(rule), rule);
    }
    const files = [...body.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, file]) => file!);
    assert.ok(files.length >= 3);
    for (const file of files) assert.equal((await open.get(file)).status, 200, file);
  }),
);

test(
  'the document comes compressed, and names the version of the service',
  withHttp(async (http) => {
    const open = api(http.url, null);
    const { headers, body } = await open.get('/openapi.json');
    assert.equal(headers.get('content-encoding'), 'gzip');
    assert.equal(headers.get('vary'), 'accept-encoding');
    assert.match(body.info['x-service-version'], /^\d+\.\d+\.\d+$/);
    const plain = await open.get('/openapi.json', { headers: { 'accept-encoding': 'identity' } });
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.deepEqual(plain.body, body);
  }),
);

/** Members of bodies and queries that messages begin with or name. */
const named = [
  'toNumber',
  'mediaUrl',
  'mediaBase64',
  'quotedMessageId',
  'webhookEvents',
  'reaction',
  'cursor',
  'since',
];

test(
  'each operation has its own errors: a message that names a member is of an operation that has it',
  withHttp(async (http) => {
    const document = (await api(http.url, null).get('/openapi.json')).body;
    const messagesOf = (path: string, method: string): readonly string[] =>
      Object.entries(document.paths[path][method].responses as Record<string, { $ref: string }>)
        .filter(([code]) => !code.startsWith('2'))
        .flatMap(([, { $ref }]) =>
          Object.values(
            document.components.responses[$ref.split('/').at(-1)!].content['application/json'].examples ?? {},
          ),
        )
        .map(({ value }: any) => value.error?.message ?? value.status.message); // oxlint-disable-line typescript/no-explicit-any -- an example
    const seen = new Set<string>();
    for (const { id, path, method, body, query } of operations) {
      const members = JSON.stringify([body?.schema ?? null, query ?? null]);
      const messages = messagesOf(path, method.toLowerCase());
      assert.ok(messages.length >= 2, id);
      for (const message of messages) {
        const member = named.find((name) => message.startsWith(`${name} `));
        if (member === undefined) continue;
        seen.add(member);
        assert.ok(members.includes(`"${member}"`), `${id}: ${message}`);
      }
    }
    assert.deepEqual([...seen].sort(), [...named].sort());
    const [getMe, sendText] = [messagesOf('/me', 'get'), messagesOf('/devices/{id}/messages/text', 'post')];
    assert.ok(sendText.includes('toNumber is not on the network: no account has this number'));
    assert.ok(!getMe.some((message) => /toNumber|media|webhook|Device/.test(message)), getMe.join('\n'));
  }),
);

test(
  'the document names the address by which the caller came, compressed or not',
  withHttp(async (http) => {
    for (const encoding of ['gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding };
      const { body } = await api(http.url, null).get('/openapi.json', { headers });
      assert.deepEqual(body.servers, [{ url: `${http.url}/v1` }]);
    }
  }),
);
