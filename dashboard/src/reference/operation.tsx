/** One operation: its fields and errors, its samples, and a form that sends it. */
import { useState } from 'react';
import { texts } from '../base/texts.ts';
import { type Document, type OperationEntry, parametersOf, resolve, type Response, successOf } from './document.ts';
import { Examples } from './examples.tsx';
import { Parameters, SchemaFields } from './fields.tsx';
import { Prose } from './prose.tsx';
import { startWith } from './request.ts';
import { Samples } from './samples-card.tsx';
import type { Session } from './sign-in.tsx';
import { TryIt } from './try-it.tsx';

const words = texts.reference;

/** The message of an error in any of its shapes. */
const messageIn = (body: unknown): string => {
  const text = JSON.stringify(body);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the examples are the service's own
  const { status, error } = JSON.parse(text) as Readonly<Record<'status' | 'error', { readonly message?: string }>>;
  return status.message ?? error.message ?? text;
};

const ErrorRow = ({ code, response }: { readonly code: string; readonly response: Response }) => {
  const examples = Object.values(response.content?.['application/json']?.examples ?? {});
  return (
    <li>
      <p>
        <code className="field-name">{code}</code> <Prose text={response.description} />
      </p>
      {examples.length > 0 && (
        <ul className="messages">
          {examples.map(({ value }) => (
            <li key={messageIn(value)} lang="en">
              {messageIn(value)}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
};

interface Props {
  readonly document: Document;
  readonly entry: OperationEntry;
  readonly session: Session;
}

const Errors = ({ document, entry }: Omit<Props, 'session'>) => (
  <section>
    <h2>{words.errors}</h2>
    <ul className="fields errors">
      {Object.entries(entry.operation.responses)
        .filter(([code]) => !code.startsWith('2'))
        .map(([code, response]) => (
          <ErrorRow key={code} code={code} response={resolve(document, response)} />
        ))}
    </ul>
  </section>
);

export const OperationPage = ({ document, entry, session }: Props) => {
  const { operation, method, path, title } = entry;
  const [filled, setFilled] = useState(() => startWith(entry));
  const success = successOf(document, operation);
  const answer = success.content?.['application/json'];
  const body = operation.requestBody;
  return (
    <>
      <header className="operation-head">
        <h1 lang="en">{title}</h1>
        <p className="endpoint">
          <span className={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
        </p>
        {operation.description !== undefined && (
          <p>
            <Prose text={operation.description} />
          </p>
        )}
      </header>
      <div className="columns">
        <div className="stack">
          <Parameters document={document} parameters={parametersOf(document, operation)} />
          <SchemaFields
            title={body?.required === true ? words.body : words.optionalBody}
            document={document}
            schema={body?.content['application/json']?.schema}
          />
          <SchemaFields title={words.response} document={document} schema={answer?.schema} />
          <Errors document={document} entry={entry} />
        </div>
        <div className="stack">
          <Samples document={document} entry={entry} filled={filled} />
          <TryIt document={document} entry={entry} filled={filled} fill={setFilled} session={session} />
          <Examples title={words.response} content={answer} />
        </div>
      </div>
    </>
  );
};
