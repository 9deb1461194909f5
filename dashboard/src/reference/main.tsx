/** Entry point of `/docs`: the API reference, made from the service's own OpenAPI document. */
import { makeClient } from '../api/client.ts';
import { useLoad } from '../api/hooks.ts';
import { mount } from '../ui/mount.tsx';
import '../styles/index.css';
import { Await } from '../ui/parts.tsx';
import type { Document } from './document.ts';
import { Reference } from './page.tsx';
import './reference.css';

const open = makeClient({}, () => undefined);

const Loading = () => {
  const document = useLoad(() => open.get<Document>('/openapi.json'), 'once');
  return <Await of={document}>{(loaded) => <Reference document={loaded} />}</Await>;
};

void mount(<Loading />);
