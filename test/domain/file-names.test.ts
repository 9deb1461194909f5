/** Names of files, as they are found in headers, URLs and messages of strangers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { asFileName, checkFileName, nameInDisposition, nameInUrl } from '../../src/domain/messages/file-names.ts';

describe('names in Content-Disposition', () => {
  const headers: readonly (readonly [string | null, string | null])[] = [
    [null, null],
    ['inline', null],
    ['attachment; filename="report.pdf"', 'report.pdf'],
    ['attachment;filename=report.pdf', 'report.pdf'],
    ['attachment; FILENAME = report 2024.pdf ; x=y', 'report 2024.pdf'],
    ['attachment; filename="a \\"quoted\\" name.pdf"', 'a "quoted" name.pdf'],
    [`attachment; filename="plain.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf`, 'Größe.pdf'],
    [`attachment; filename*=utf-8'de'%e2%82%ac.pdf; filename=euro.pdf`, '€.pdf'],
    [`attachment; filename*=ISO-8859-1''%A3%20rates.txt`, '£ rates.txt'],
    ['attachment; filename="Gr%C3%B6%C3%9Fe.pdf"', 'Größe.pdf'],
    ['attachment; filename="100%.pdf"', '100%.pdf'],
    [`attachment; filename="${Buffer.from('Größe.pdf').toString('latin1')}"`, 'Größe.pdf'],
    ['attachment; filename="Gr\u00f6\u00dfe.pdf"', 'Größe.pdf'],
    ['attachment; filename="C:\\\\files\\\\report.pdf"', 'report.pdf'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    [`attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`, 'passwd'],
    ['attachment; xfilename="no.pdf"', null],
    ['attachment; filename=""', null],
    ['attachment; filename=".."', null],
  ];
  for (const [header, name] of headers) it(String(header), () => assert.equal(nameInDisposition(header), name));
});

describe('names of files', () => {
  it('in URLs are the last part of the path', () => {
    assert.equal(nameInUrl('https://example.com/a/Gr%C3%B6%C3%9Fe%201.pdf?x=/y.png'), 'Größe 1.pdf');
    assert.equal(nameInUrl('https://example.com/a%2Fb.pdf'), 'b.pdf');
    for (const none of ['https://example.com/', 'https://example.com', 'no url', 'https://example.com/a/'])
      assert.equal(nameInUrl(none), null);
    assert.equal(nameInUrl('https://example.com/100%.pdf'), '100%.pdf');
  });

  it('of strangers have no separators, no control characters and at most 255 bytes', () => {
    assert.equal(asFileName('Invoice 12/2024.pdf'), 'Invoice 12_2024.pdf');
    assert.equal(asFileName('../../etc/passwd'), '.._.._etc_passwd');
    assert.equal(asFileName('..\\..\\boot.ini'), '.._.._boot.ini');
    assert.equal(asFileName('a\0b\nc\u202efdp.exe'), 'abcfdp.exe');
    for (const none of ['', ' ', '.', '..', '/', '\0', '../..', '\u{e0000}', '\u2800'.repeat(300)])
      assert.equal(asFileName(none), null, none);
    const long = asFileName(`${'ä'.repeat(50_000)}.pdf`)!;
    assert.deepEqual([Buffer.byteLength(long), long.endsWith('ä.pdf')], [254, true]);
    const noExtension = asFileName('😀'.repeat(100))!;
    assert.deepEqual([Buffer.byteLength(noExtension), noExtension.isWellFormed()], [252, true]);
  });

  it('that are found could be given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        for (const name of [asFileName(text), nameInDisposition(`attachment; filename="${text}"`)])
          if (name !== null) checkFileName(name);
      }),
    );
  });

  it('take no time, however they are written', () => {
    for (const piece of [
      '; filename*=',
      ';',
      ' ',
      '\\',
      '"',
      '%',
      '/',
      'filename=',
      '\u0315',
      '.',
      "'",
      '_',
      '\u2800',
    ]) {
      const text = piece.repeat(65_536);
      const before = process.cpuUsage();
      nameInDisposition(`attachment; filename="${text}`);
      nameInDisposition(`attachment; filename*=UTF-8''${text}`);
      asFileName(text);
      nameInUrl(`https://example.com/${text}`);
      assert.ok(process.cpuUsage(before).user < 300_000, piece);
    }
  });
});
