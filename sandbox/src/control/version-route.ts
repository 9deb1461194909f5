/** The pages of the network that tell the current client revision (docs/spec/sandbox.md, Running it). */
import { isNavigation, isOpened, rootPage, workerPage } from '../server/state/client-revision.ts';
import { badRequest } from '../base/errors.ts';
import type { Network } from './network.ts';
import { File, type Handler, type Routes } from './router.ts';

/** The network's root page stands beside it. */
export const versionPath = '/web/sw.js';

export const versionRoutes = ({ hub }: Network): Routes => {
  const { state } = hub;
  const worker: Handler = ({ headers }) => {
    if (!isOpened(headers) || state.faults.versionPages !== 'both')
      throw badRequest('this page answers only with the user agent of a Chrome and the header "sec-fetch-site: none"');
    const page = workerPage(state.faults.clientRevision.current);
    return new File('application/javascript; charset=utf-8', Buffer.from(page));
  };
  const root: Handler = ({ headers }) => {
    if (!isOpened(headers) || !isNavigation(headers) || state.faults.versionPages === 'none')
      throw badRequest('this page answers only to a browser that opens it: "sec-fetch-mode: navigate" and its like');
    return new File('text/html; charset=utf-8', Buffer.from(rootPage(state.faults.clientRevision.current)));
  };
  return { [`GET ${versionPath}`]: worker, 'GET /web': root };
};
