/** WhatsApp's marks in a text: what they mean, and that no text takes longer than its length. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Span, spansOf } from '../../dashboard/src/device/message/formatting.ts';

const tags = { strong: 'b', em: 'i', s: 's', code: 'code', block: 'pre', link: 'a', mention: 'at' } as const;

const written = (spans: readonly Span[]): string =>
  spans
    .map((span) => {
      if (typeof span === 'string') return span;
      const tag = tags[span.kind];
      return `<${tag}>${'parts' in span ? written(span.parts) : span.text}</${tag}>`;
    })
    .join('');

for (const [text, wanted] of [
  ['*bold* _italic_ ~struck~', '<b>bold</b> <i>italic</i> <s>struck</s>'],
  ['*bold _and italic_*, so', '<b>bold <i>and italic</i></b>, so'],
  ['a `code *x*` b', 'a <code>code *x*</code> b'],
  ['```two\nlines```', '<pre>two\nlines</pre>'],
  ['snake_case_name 2*3*4 a~b~c', 'snake_case_name 2*3*4 a~b~c'],
  ['* no* *no * __ ~', '* no* *no * __ ~'],
  ['*begun _here', '*begun _here'],
  ['*one\ntwo*', '*one\ntwo*'],
  ['*a _b* c_', '<b>a _b</b> c_'],
  ['see https://example.com/a_b_c.', 'see <a>https://example.com/a_b_c</a>.'],
  ['*https://example.com/x*', '<b><a>https://example.com/x</a></b>'],
  ['*@4915550001111* ok', '<b><at>@4915550001111</at></b> ok'],
  ['*fünf*é', '*fünf*é'],
] as const) {
  test(`marks: ${JSON.stringify(text)}`, () => assert.equal(written(spansOf(text)), wanted));
}

test('a long text of marks loses nothing, nests little and is read at once', () => {
  const depthOf = (span: Span): number =>
    typeof span === 'string' || !('parts' in span) ? 0 : 1 + Math.max(0, ...span.parts.map(depthOf));
  for (const part of ['*', '*a', ' *_~', '*_~a~_* ', '`', '```', '``` `', 'https://*', '@12345*', '😀*x* ', ' _a*b ']) {
    const text = part.repeat(Math.ceil(2_000_000 / part.length));
    const before = process.cpuUsage();
    const spans = spansOf(text);
    // Reading back at each mark would take minutes.
    assert.ok(process.cpuUsage(before).user < 2_000_000, part);
    assert.ok(spans.length < 50_000, part);
    assert.ok(Math.max(...spans.map(depthOf)) <= 3, part);
  }
  const cut = `${'x'.repeat(19_999)}😀 *late*`;
  assert.deepEqual(written(spansOf(cut)), cut);
  assert.ok(spansOf(cut).every((span) => typeof span !== 'string' || span.isWellFormed()));
});
