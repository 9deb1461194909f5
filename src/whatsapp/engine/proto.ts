/** The network's protobuf messages. */
export { proto } from 'baileys';
