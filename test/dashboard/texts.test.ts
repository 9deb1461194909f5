/** The catalogues of texts: each language is whole, and nothing that people read stands outside of them. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'vite';
import { english } from '../../dashboard/src/texts/en/index.ts';
import { spanish } from '../../dashboard/src/texts/es/index.ts';
import { bestOf, type Language } from '../../dashboard/src/texts/language.ts';
import { portuguese } from '../../dashboard/src/texts/pt-BR/index.ts';
import type { ClosedReason } from '../../src/domain/sessions/state.ts';
import { reasons } from '../../src/errors.ts';
import { reasonOf } from '../../src/service/devices/view.ts';

const source = join(import.meta.dirname, '../../dashboard/src');
const translations: Readonly<Record<Exclude<Language, 'en'>, object>> = { 'pt-BR': portuguese, es: spanish };

/** Texts that are right in a language as they are in English. */
const unchanged: Readonly<Record<keyof typeof translations, readonly string[]>> = {
  'pt-BR': ['Admin', 'Emoji', 'Opt-outs', 'Status', 'online'],
  es: ['Audio', 'Chats', 'Emoji', 'General', 'Sticker', 'Video'],
};

/** Names and terms that are the same everywhere. Numbers stand for the values of a function. */
const everywhere = 'Handset Sandbox WhatsApp Webhook Webhooks URL Payload GIF Node.js Python Go Ctrl+K'
  .split(' ')
  .concat(english.phone.names, 'Webhook 37', '37: 41', ' + 37', '37 s');

type Text = string | ((...values: readonly unknown[]) => string);

const textsOf = (catalogue: unknown, path = ''): readonly (readonly [string, Text])[] =>
  typeof catalogue === 'object' && catalogue !== null
    ? Object.entries(catalogue).flatMap(([key, value]) => textsOf(value, path === '' ? key : `${path}.${key}`))
    : [[path, catalogue as Text]];

/** Numbers fit wherever a text has values, except for `line`, which lists them. */
const samples = [37, 41, 43, 47];

const shown = (path: string, text: Text): string => {
  if (typeof text === 'string') return text;
  return path === 'clientVersion.line' ? text(samples.map(String)) : text(...samples);
};

const valuesIn = (text: string): readonly string[] => samples.map(String).filter((value) => text.includes(value));

const original = new Map(textsOf(english));

test('each text of a refused request is for a reason that the service has', () => {
  for (const reason of Object.keys(english.refusals)) assert.ok(Object.hasOwn(reasons, reason), reason);
});

for (const [language, catalogue] of Object.entries(translations)) {
  const translated = new Map(textsOf(catalogue));

  test(`${language} has the keys of the English catalogue, each of its kind`, () => {
    assert.ok(original.size > 700);
    assert.deepEqual([...translated.keys()].sort(), [...original.keys()].sort());
    for (const [path, text] of original) {
      const other = translated.get(path)!;
      assert.equal(typeof other, typeof text, path);
      assert.equal(other.length === 0, text.length === 0, `${path}: nothing to read, or nothing to fill in`);
      if (typeof text === 'function') assert.equal(other.length, text.length, `${path}: values`);
    }
  });

  test(`${language} uses the values that the English texts use, and counts in words`, () => {
    for (const [path, text] of original) {
      if (typeof text === 'string') continue;
      const other = translated.get(path)!;
      assert.deepEqual(valuesIn(shown(path, other)), valuesIn(shown(path, text)), path);
      for (const n of [0, 1, 2]) {
        if (path === 'clientVersion.line') continue;
        const counted = (other as (...values: readonly unknown[]) => string)(n, n, n, n);
        assert.doesNotMatch(counted, /undefined|null|NaN|\[object/, path);
      }
    }
  });

  test(`${language} has no English left`, () => {
    const same = [...translated].flatMap(([path, text]) => {
      const here = shown(path, text);
      return here === shown(path, original.get(path)!) ? [here] : [];
    });
    const terms = new Set([...everywhere, ...unchanged[language as keyof typeof translations]]);
    assert.deepEqual(
      [...new Set(same)].filter((text) => !terms.has(text)),
      [],
    );
    assert.deepEqual(
      [...terms].filter((term) => !same.includes(term)),
      [],
      'terms that no text has any more',
    );
    const mixed = [...translated].filter(([path, text]) =>
      /\b(?:the|and|your|with|this|is|of|it)\b/.test(shown(path, text)),
    );
    assert.deepEqual(
      mixed.map(([path]) => path),
      [],
    );
  });
}

test('the reasons of the service are in the catalogues as it says them', () => {
  const { pairing, ...closed }: Readonly<Record<ClosedReason | 'pairing', string>> = english.reasons;
  const offer = { qrText: 'qr', qrExpiresAt: 0, code: null };
  assert.equal(reasonOf({ kind: 'pairing', offer }), pairing);
  for (const [reason, text] of Object.entries(closed)) {
    assert.equal(reasonOf({ kind: 'closed', reason: reason as ClosedReason, detail: null }), text);
  }
});

test('a reader gets the best language of the browser’s list', () => {
  const choices: readonly (readonly [readonly string[], Language])[] = [
    [['pt-BR', 'en'], 'pt-BR'],
    [['pt-PT'], 'pt-BR'],
    [['es-MX', 'pt-BR'], 'es'],
    [['en-GB', 'es'], 'en'],
    [['de-DE', 'es-419', 'en'], 'es'],
    [['fr'], 'en'],
    [[], 'en'],
  ];
  for (const [tags, best] of choices) assert.equal(bestOf(tags), best, tags.join());
});

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const childrenOf = (node: Node): readonly Node[] => Object.values(node).flat().filter(isNode);

/** Attributes that are read, seen or heard. */
const readable =
  /^(?:aria-(?:label|description|placeholder|roledescription|valuetext)|placeholder|title|alt|label|hint|summary|error)$/;

/** The literals that an expression can result in; those in calls are keys or arguments. */
const literalsOf = (node: Node | null): readonly string[] => {
  if (node === null) return [];
  if (node.type === 'Literal') return typeof node.value === 'string' ? [node.value] : [];
  if (node.type === 'TemplateElement') return [(node.value as { readonly cooked: string }).cooked];
  if (node.type === 'JSXText') return [String(node.value)];
  if (['ConditionalExpression', 'LogicalExpression'].includes(node.type)) {
    return [node.consequent, node.alternate, node.left, node.right].filter(isNode).flatMap(literalsOf);
  }
  if (['TemplateLiteral', 'JSXExpressionContainer', 'ArrayExpression'].includes(node.type)) {
    return childrenOf(node).flatMap(literalsOf);
  }
  return [];
};

const isSentence = (text: string): boolean => /^\p{Lu}\p{Ll}+,? \p{Ll}/u.test(text);

/** Everything that is shown and that no catalogue has. Addresses are the same in every language. */
const literalTexts = (node: Node): readonly string[] => {
  const here =
    node.type === 'JSXElement' || node.type === 'JSXFragment'
      ? (node.children as readonly Node[]).flatMap(literalsOf)
      : node.type === 'JSXAttribute' && readable.test(String((node.name as { readonly name: unknown }).name))
        ? literalsOf(node.value as Node | null)
        : literalsOf(node).filter(isSentence);
  const words = here.filter((text) => /\p{L}{2}/u.test(text) && !text.startsWith('https://'));
  return [...words, ...childrenOf(node).flatMap(literalTexts)];
};

const literalTextsIn = (name: string, code: string): readonly string[] => [
  ...new Set(literalTexts(parseSync(name, code).program as unknown as Node).map((text) => text.trim())),
];

const nameOf = (node: unknown): string => (isNode(node) && typeof node.name === 'string' ? node.name : '');

/** The catalogue's path of an expression, for example `device.tabs`; null if it is none. */
const pathOf = (node: Node, known: ReadonlyMap<string, string>): string | null => {
  if (node.type === 'Identifier') return known.get(nameOf(node)) ?? null;
  if (node.type !== 'MemberExpression' || node.computed === true || !isNode(node.object)) return null;
  const path = pathOf(node.object, known);
  return path === null ? null : `${path}${path === '' ? '' : '.'}${nameOf(node.property)}`;
};

const functions = ['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration', 'ClassBody'];

/** Texts that a module keeps when it is loaded, which is before the language is: groups of texts may be kept, since they are filled. */
const keptTextsIn = (name: string, code: string): readonly string[] => {
  const known = new Map([['texts', '']]);
  const visit = (node: Node): readonly string[] => {
    if (functions.includes(node.type)) return [];
    const path = pathOf(node, known);
    if (path !== null) return original.has(path) ? [path] : [];
    const below = childrenOf(node).flatMap(visit);
    if (node.type !== 'VariableDeclarator' || !isNode(node.init) || !isNode(node.id)) return below;
    const group = pathOf(node.init, known);
    if (group === null) return below;
    const parts = node.id.type === 'ObjectPattern' ? (node.id.properties as readonly Node[]) : [];
    for (const { key, value } of parts) known.set(nameOf(value), `${group}${group === '' ? '' : '.'}${nameOf(key)}`);
    if (parts.length === 0) known.set(nameOf(node.id), group);
    return [...below, ...parts.map(({ value }) => known.get(nameOf(value))!).filter((part) => original.has(part))];
  };
  return visit(parseSync(name, code).program as unknown as Node);
};

test('no module keeps a text from before the language is loaded', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: source }).filter((file) => !file.startsWith('texts'));
  const found = files.flatMap((file) =>
    keptTextsIn(file, readFileSync(join(source, file), 'utf8')).map((path) => `${file}: ${path}`),
  );
  assert.deepEqual(found, []);
  const wrong = `const words = texts.device; const { tabs, name } = words; const late = () => words.saved;
    const kept = [words.removed, tabs.chat, texts.device.session];`;
  assert.deepEqual([...keptTextsIn('a.ts', wrong)].sort(), ['device.name', 'device.removed', 'device.tabs.chat']);
});

test('nothing that people read stands outside of the catalogues', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: source }).filter(
    // The snippets are code in several languages, with comments in English.
    (file) => !file.startsWith('texts/') && !file.endsWith('snippets.ts'),
  );
  assert.ok(files.length > 100);
  const found = files.flatMap((file) =>
    literalTextsIn(file, readFileSync(join(source, file), 'utf8')).map((text) => `${file}: ${text}`),
  );
  assert.deepEqual(found, []);
});

test('a text outside of the catalogues is noticed wherever it stands', () => {
  const component = `const A = ({ a }) => <><p title="One text">{a ? 'Two texts' : words.b}</p>
    Three texts <B hint={\`Four \${a} texts\`} className="not text" kind={'nor this'} /></>;
    notify(a ? 'Five texts' : a);`;
  const found = literalTextsIn('a.tsx', component);
  assert.deepEqual([...found].sort(), ['Five texts', 'Four', 'One text', 'Three texts', 'Two texts', 'texts']);
});
