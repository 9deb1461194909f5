/** The first page of the API reference: the service, its address and version, and the sign-in. */
import { texts } from '../base/texts.ts';
import { CopyButton } from '../ui/parts.tsx';
import type { Document } from './document.ts';
import { Prose } from './prose.tsx';
import { type Session, SignInForm } from './sign-in.tsx';

const words = texts.reference;

interface Props {
  readonly document: Document;
  readonly session: Session;
}

export const Start = ({ document, session }: Props) => {
  const { info, servers, tags } = document;
  const url = new URL(servers[0]?.url ?? '/', location.origin).href;
  const version = info['x-service-version'];
  return (
    <>
      <header className="page-head">
        <h1>{words.title}</h1>
        {version !== undefined && <span className="tag">{`${texts.product} ${version}`}</span>}
      </header>
      <p className="lead">
        <Prose text={info.description} />
      </p>
      <section className="card">
        <h2>{words.address}</h2>
        <div className="row between">
          <code>{url}</code>
          <CopyButton text={url} />
        </div>
        <p>
          <a href="./openapi.json">{words.document}</a>
        </p>
      </section>
      <section className="card">
        <h2>{words.authentication}</h2>
        <SignInForm session={session} />
      </section>
      <section className="card">
        <h2>{words.operations}</h2>
        <ul className="areas">
          {tags.map(({ name, description }) => (
            <li key={name} lang="en">
              <strong>{name}</strong>
              <span className="dim">{description}</span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
};
