/** Guides: chapters of the documentation, from its Markdown. */
import { Fragment, type ReactNode } from 'react';
import http from '../../../docs/http.md?raw';
import webhooks from '../../../docs/webhooks.md?raw';
import type { GuideEntry } from './document.ts';

/** By their headings in lower case, as links name them. */
const chapters = ['errors', 'paging', 'idempotent-sends', 'limits', 'events-as-a-stream'];

const idOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');

const guide = (title: string, text: string): GuideEntry => ({ kind: 'guide', id: `guide-${idOf(title)}`, title, text });

const sections = http
  .split('\n## ')
  .slice(1)
  .map((section) => guide(section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n'))));

/** The payloads are pages of their own. */
export const guides: readonly GuideEntry[] = [
  ...sections.filter(({ title }) => chapters.includes(idOf(title))),
  guide('Webhooks', webhooks.slice(webhooks.indexOf('\n')).split('\n## Payloads')[0]!),
];

/** Code, bold text and links; a link to another page of the documentation is only its words. */
const Inline = ({ text }: { readonly text: string }): ReactNode =>
  text.split(/(`[^`]{1,300}`|\*\*[^*]{1,300}\*\*|\[[^\]]{1,300}\]\([^)]{1,300}\))/).map((part, index) => {
    if (index % 2 === 0) return part;
    if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
    if (part.startsWith('**'))
      return (
        <strong key={index}>
          <Inline text={part.slice(2, -2)} />
        </strong>
      );
    const [label = '', url = ''] = part.slice(1, -1).split('](');
    return url.startsWith('https:') ? (
      <a key={index} href={url} target="_blank" rel="noreferrer">
        {label}
      </a>
    ) : (
      label
    );
  });

/** The last bar may be left out. */
const cellsOf = (line: string): readonly string[] => {
  const cells = line.split('|').slice(1);
  return cells.at(-1)?.trim() === '' ? cells.slice(0, -1) : cells;
};

const Row = ({ line, as: Cell }: { readonly line: string; readonly as: 'td' | 'th' }) => (
  <tr>
    {cellsOf(line).map((cell, index) => (
      <Cell key={index}>
        <Inline text={cell.trim()} />
      </Cell>
    ))}
  </tr>
);

const Block = ({ text }: { readonly text: string }): ReactNode => {
  const lines = text.trimEnd().split('\n');
  const [first = ''] = lines;
  if (first.startsWith('```'))
    return (
      // Scrollable with the keyboard.
      <pre className="sample" tabIndex={0}>
        {lines.slice(1, -1).join('\n')}
      </pre>
    );
  if (first.startsWith('#')) return <h2>{first.replace(/^#+ /, '')}</h2>;
  if (first.startsWith('|'))
    return (
      <div className="table" tabIndex={0}>
        <table>
          <thead>
            <Row line={first} as="th" />
          </thead>
          <tbody>
            {lines.slice(2).map((line) => (
              <Row key={line} line={line} as="td" />
            ))}
          </tbody>
        </table>
      </div>
    );
  return (
    <p>
      <Inline text={lines.join(' ')} />
    </p>
  );
};

export const GuidePage = ({ entry: { title, text } }: { readonly entry: GuideEntry }) => (
  <article className="guide stack" lang="en">
    <h1>{title}</h1>
    {(text.match(/```[^]*?```|(?:(?!```).+\n?)+/g) ?? []).map((block, index) => (
      <Fragment key={index}>
        <Block text={block} />
      </Fragment>
    ))}
  </article>
);
