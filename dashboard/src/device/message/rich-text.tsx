/** Text with WhatsApp's marks, its links and the names of the people it mentions. */
import { Fragment, type ReactNode, useMemo } from 'react';
import type { Person } from '../../api/message.ts';
import { ExternalLink } from '../../ui/external-link.tsx';
import { mentionedBy } from '../shown/people.ts';
import { useShown } from '../shown/shown.ts';
import { type Span, spansOf } from './formatting.ts';

interface Props {
  readonly text: string;
  readonly mentions: readonly Person[];
}

export const RichText = ({ text, mentions }: Props) => {
  const { nameOf } = useShown();
  const people = useMemo(() => mentionedBy(mentions), [mentions]);
  const spans = useMemo(() => spansOf(text), [text]);
  const show = (span: Span): ReactNode => {
    if (typeof span === 'string') return span;
    if ('parts' in span) return <span.kind>{all(span.parts)}</span.kind>;
    if (span.kind === 'block') return <code className="block">{span.text}</code>;
    if (span.kind === 'code') return <code>{span.text}</code>;
    if (span.kind === 'link') return <ExternalLink href={span.text}>{span.text}</ExternalLink>;
    const person = people.get(span.text.slice(1));
    return person === undefined ? span.text : <strong className="mention">@{nameOf(person)}</strong>;
  };
  const all = (parts: readonly Span[]): ReactNode =>
    parts.map((part, index) => <Fragment key={index}>{show(part)}</Fragment>);
  return all(spans);
};
