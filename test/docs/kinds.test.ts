/** The kinds of messages in docs/receiving.md: all are there, and the interface describes them so. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { allKinds, eventKinds } from '../../src/domain/event.ts';
import { messageTypes, noParts } from '../../src/domain/messages/parts.ts';
import { eventData } from '../../src/contract/schemas/event.ts';
import { content } from '../../src/contract/schemas/messages/message.ts';

/** The part of a schema that is read here. */
interface Shape {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
}

type Members = Readonly<Record<string, unknown>>;

const page = readFileSync(join(import.meta.dirname, '../../docs/receiving.md'), 'utf8');
const recorded = /<!-- kinds: [^]*<!-- end of kinds -->/.exec(page)?.[0] ?? '';
const sections = [...recorded.matchAll(/^### (\w+)\n[^]*?```jsonc\n([^]*?)\n```/gm)].map(
  ([, heading, block]) =>
    [
      heading!,
      block!
        .split(/^\/\/ .*\n/m)
        .filter(Boolean)
        .map((json) => JSON.parse(json) as Members),
    ] as const,
);

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** With the members that the page leaves out; one that is not in the schema is a defect. */
const filled = (schema: TSchema, value: unknown): unknown => {
  const { properties, items, anyOf }: Shape = schema;
  if (anyOf !== undefined) return filled(anyOf[0]!, value);
  if (Array.isArray(value)) return value.map((item) => filled(items!, item));
  if (!isMembers(value)) return value;
  for (const name of Object.keys(value)) assert.ok(name in properties!, `${name} is in no schema`);
  const members = Object.entries(properties!).map(([name, member]) => {
    const left = [null, false, []].find((empty) => Value.Check(member, empty));
    return [name, name in value ? filled(member, value[name]) : left];
  });
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
};

const check = (schema: TSchema, value: unknown): void => {
  const whole = filled(schema, value);
  assert.deepEqual([...Value.Errors(schema, whole)], [], JSON.stringify(value));
};

/** With the username of people, which the page leaves out where it is null. */
const completed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(completed);
  if (!isMembers(value)) return value;
  const isPerson = Object.keys(value).join() === 'jid,number,lid';
  const members = Object.entries(value).map(([name, member]) => [name, completed(member)] as const);
  return { ...Object.fromEntries(members), ...(isPerson && { username: null }) };
};

const memberOf = (schema: TSchema | undefined, name: string): TSchema => (schema as Shape).properties![name]!;

test('every type of message has its examples, and every member of a message is in one', () => {
  assert.deepEqual(
    sections.map(([heading]) => heading),
    [...messageTypes, 'Updates', 'Groups', 'Account'],
  );
  const messages = sections.slice(0, -3).flatMap(([type, examples]) => {
    assert.ok(examples.length > 0, type);
    for (const example of examples) assert.equal(example['type'], type);
    return examples;
  });
  const message = memberOf(eventData['message.received'].data, 'message');
  const { properties } = message as Shape;
  const said = Object.fromEntries(Object.entries(properties!).filter(([name]) => name in content));
  for (const example of messages) check({ ...message, properties: said, required: Object.keys(content) }, example);
  const shown = new Set(messages.flatMap((example) => Object.keys(example)));
  for (const name of [...Object.keys(noParts), ...Object.keys(content)]) assert.ok(shown.has(name), name);
});

test('every form of an update has an example', () => {
  const examples = sections.at(-3)![1];
  const updates = examples.flatMap(({ update }) => (isMembers(update) ? [update] : []));
  const forms = (memberOf(eventData['message.updated'].data, 'update') as Shape).anyOf!;
  const used = updates.map((update) => {
    const [first] = Object.keys(update);
    const form = forms.find((each) => Object.keys((each as Shape).properties!)[0] === first)!;
    if (first !== 'message') check(form, update);
    return form;
  });
  assert.deepEqual(new Set(used), new Set(forms));
  const { by } = examples.find((example) => 'by' in example)!;
  check(memberOf(eventData['message.deleted'].data, 'by'), by);
});

test('every kind of the events of groups has an example, and each change is in the interface', () => {
  const examples = sections.at(-2)![1];
  const { data } = eventData['group.updated'];
  for (const { change } of examples.filter((example) => 'change' in example)) {
    assert.ok(Value.Check(memberOf(data, 'change'), completed(change)), JSON.stringify(change));
  }
  for (const [kind, type] of [
    ['group.joined', eventData['group.joined'].data],
    ['group.updated', data],
    ['group.left', eventData['group.left'].data],
  ] as const) {
    assert.ok(recorded.includes(`// ${kind}\n`), kind);
    assert.ok(
      examples.some((example) => Value.Check(type, completed(example))),
      kind,
    );
  }
});

test('every kind that is posted to additional webhooks alone has an example', () => {
  const examples = sections.at(-1)![1];
  const others = allKinds.filter((kind) => !kind.startsWith('group.') && !eventKinds.some((own) => own === kind));
  const named = [...recorded.slice(recorded.indexOf('### Account')).matchAll(/^\/\/ (.+)$/gm)].map(([, kind]) => kind);
  assert.deepEqual(new Set(named), new Set(others));
  for (const [index, kind] of named.entries()) {
    const { data } = eventData[others.find((each) => each === kind)!];
    // Members of a message and of a change that say nothing are left out.
    for (const [name, value] of Object.entries(examples[index]!)) {
      const member = memberOf(data, name);
      const whole = ['message', 'status'].includes(name) ? filled(member, value) : completed(value);
      if (name !== 'messages') assert.ok(Value.Check(member, whole), `${kind}: ${name}`);
    }
  }
});
