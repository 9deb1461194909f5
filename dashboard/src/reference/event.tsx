/** One kind of event: the fields of what is posted, and recorded examples. */
import { texts } from '../base/texts.ts';
import type { Document, EventEntry } from './document.ts';
import { Examples } from './examples.tsx';
import { SchemaFields } from './fields.tsx';
import { Prose } from './prose.tsx';

const words = texts.reference;

export const EventPage = ({ document, entry }: { readonly document: Document; readonly entry: EventEntry }) => (
  <>
    <header className="operation-head">
      <h1>
        <code>{entry.id}</code>
      </h1>
      <p className="lead">
        <Prose text={entry.title} />
      </p>
    </header>
    <div className="columns">
      <div className="stack">
        <SchemaFields title={words.payload} document={document} schema={entry.content.schema} />
      </div>
      <div className="stack">
        <Examples title={words.example} content={entry.content} />
      </div>
    </div>
  </>
);
