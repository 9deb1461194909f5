/** Recorded answers and events. */
import type { Media } from './document.ts';

interface Props {
  readonly title: string;
  readonly content: Media | undefined;
}

const Json = ({ value, label }: { readonly value: unknown; readonly label: string }) => (
  // Scrollable with the keyboard.
  <pre tabIndex={0} role="region" aria-label={label}>
    {JSON.stringify(value, null, 2)}
  </pre>
);

export const Examples = ({ title, content }: Props) => {
  const named = Object.entries(content?.examples ?? {});
  const { example } = content ?? {};
  if (named.length === 0 && example === undefined) return null;
  return (
    <section className="card">
      <h2>{title}</h2>
      {example !== undefined && <Json value={example} label={title} />}
      {named.map(([name, { value }], index) => (
        <details key={name} open={index === 0}>
          <summary>{name}</summary>
          <Json value={value} label={name} />
        </details>
      ))}
    </section>
  );
};
