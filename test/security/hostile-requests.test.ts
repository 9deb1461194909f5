/** Long texts that are cheap to write and dear to read, in every body, query parameter and header of the contract: no turn of the event loop takes longer for them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rawClient, requestHead } from '../http/raw.ts';
import { type Harness, startHttp } from '../http/harness.ts';
import { type Turns, watchTurns } from '../support/turns.ts';
import { adminToken, type Path, type Schema, sendingTo, textsIn, withValue } from './bodies.ts';
import { harmless, type Hostile, hostiles, longest } from './hostile/strings.ts';
import { type Route, routesOf } from './routes.ts';

/** Limit of the time that a hostile text takes beyond a harmless one, ms. */
const maxMoreMs = 50;
/** Bytes of a request line or a header that the server takes together with the others (16 KiB in all). */
const maxHeadBytes = 12_000;

let http: Harness;
let routes: readonly Route[];
let turns: Turns;

before(async () => {
  const built = await routesOf(() => startHttp({ adminToken, rateLimit: 1_000_000 }));
  http = built.result;
  routes = built.routes.filter(({ operation }) => operation !== undefined);
  turns = watchTurns();
});
after(async () => {
  turns[Symbol.dispose]();
  await http[Symbol.asyncDispose]();
});

/** Longest turn of a request, client included, in ms. */
const longestTurn = async (ask: () => Promise<unknown>): Promise<number> => {
  turns.longestMs();
  await ask();
  return turns.longestMs();
};

/** The runs for which a turn is longer than for a harmless text, at each of several tries. */
const slowOf = async (
  name: string,
  runs: readonly Hostile[],
  ask: (run: Hostile) => Promise<unknown>,
): Promise<readonly string[]> => {
  const slow: string[] = [];
  for (const run of runs) {
    let more = await longestTurn(() => ask(run));
    for (let tries = 0; tries < 4 && more > maxMoreMs; tries += 1)
      more = Math.min(more, (await longestTurn(() => ask(run))) - (await longestTurn(() => ask(harmless))));
    if (more > maxMoreMs) slow.push(`${name} of ${run.name}: ${more.toFixed(0)} ms`);
  }
  return slow;
};

const schemaAt = (schema: Schema, [first, ...rest]: Path): Schema | undefined => {
  if (first === undefined) return schema;
  const { properties = {}, items, anyOf = [], allOf = [] } = schema;
  const own = typeof first === 'number' ? items : properties[first];
  const found = own === undefined ? undefined : schemaAt(own, rest);
  return (
    found ?? [...anyOf, ...allOf].map((part) => schemaAt(part, [first, ...rest])).find((part) => part !== undefined)
  );
};

/** Length at which the square of a text's length shows. */
const enough = 16_384;

/** Sends as many characters as the contract takes and show it, and with one of the runs as many as a message may have. */
const slowTexts = async (route: Route): Promise<readonly string[]> => {
  const { id, body } = route.operation!;
  const send = await sendingTo(http, route);
  const example = Object.values(body!.examples)[0];
  const slow: string[] = [];
  for (const [index, path] of [...textsIn(body!.schema)].entries()) {
    const most = Math.min(schemaAt(body!.schema, path)?.maxLength ?? enough, enough);
    const name = [id, ...path].join('.');
    slow.push(...(await slowOf(name, hostiles, (run) => send(withValue(example, path, run.of(most))))));
    const one = hostiles.slice(index % hostiles.length).slice(0, 1);
    slow.push(...(await slowOf(name, one, (run) => send(withValue(example, path, run.text(longest))))));
  }
  return slow;
};

test('hostile text: every text of every body', async () => {
  const slow: string[] = [];
  for (const route of routes) if (route.operation!.body !== undefined) slow.push(...(await slowTexts(route)));
  assert.deepEqual(slow, []);
});

/** A run as long as it may be once it is escaped. */
const escaped = (run: Hostile): string => {
  const each = encodeURIComponent(run.of(longest).toWellFormed()).length / longest;
  return encodeURIComponent(run.of(Math.floor(maxHeadBytes / each)).toWellFormed());
};

test('hostile text: every query parameter', async () => {
  const slow: string[] = [];
  for (const route of routes) {
    const { id, query } = route.operation!;
    if (query === undefined) continue;
    const send = await sendingTo(http, route);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- queries are objects
    for (const name of Object.keys((query as Schema).properties ?? {}))
      slow.push(...(await slowOf(`${id}?${name}`, hostiles, (run) => send(undefined, `?${name}=${escaped(run)}`))));
  }
  assert.deepEqual(slow, []);
});

/** Headers that the server or what it is made of reads; those of operations are added. */
const readHeaders =
  'accept accept-encoding authorization connection content-type expect forwarded host if-range origin range transfer-encoding x-forwarded-for x-forwarded-proto x-request-id'.split(
    ' ',
  );

test('hostile text: every header that is read', async () => {
  const declared = routes.flatMap(({ operation }) => Object.keys(operation!.headers ?? {}));
  const id = await http.linked();
  const slow: string[] = [];
  for (const name of new Set([...readHeaders, ...declared]))
    for (const [method, path] of [
      ['GET', 'events'],
      ['POST', 'messages/text'],
    ] as const)
      slow.push(
        ...(await slowOf(`${method} ${name}`, hostiles, async (run) => {
          using client = await rawClient(http.port);
          const value = run.of(maxHeadBytes / 3);
          const headers = [`${name}: ${value}`, 'Connection: close', 'Content-Length: 2'];
          client.write(`${requestHead(method, `/v1/devices/${id}/${path}`, http.api.key!, headers)}{}`);
          await client.until('HTTP/1.1 ');
        })),
      );
  assert.deepEqual(slow, []);
});

/** What each of its bytes costs the parser, and an end that is none. */
const smallParts = ['[],', '{},', '"",', '[', '1,', '1', ' '];
const mega = 1_048_576;

test('hostile text: bodies of many small values', async () => {
  const id = await http.linked();
  const post = async (path: string, body: string): Promise<number> => {
    using client = await rawClient(http.port);
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close'];
    client.write(`${requestHead('POST', path, http.api.key!, headers)}${body}`);
    return (await client.answer()).status;
  };
  const slow: string[] = [];
  for (const [path, bytes] of [
    [`/v1/devices/${id}/messages/media`, 14 * mega],
    [`/v1/devices/${id}/messages/album`, 14 * mega],
    ['/v1/devices/adopt', 23 * mega],
    [`/v1/devices/${id}/messages/text`, mega - 64],
  ] as const) {
    const bodyOf = (part: string): string => `{"files":[${part.repeat(bytes / part.length)}`;
    const like = `{"files":"${'a'.repeat(bytes)}"}`;
    const runs = smallParts.map((part): Hostile => ({ name: part, of: () => bodyOf(part), text: () => bodyOf(part) }));
    const ask = async (run: Hostile): Promise<void> =>
      assert.equal(await post(path, run === harmless ? like : run.of(bytes)), 400);
    slow.push(...(await slowOf(path, runs, ask)));
  }
  assert.deepEqual(slow, []);
});
