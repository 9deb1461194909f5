/** What each figure of `bench/results.json` is, for who reads the table: in groups, in the order in which they stand there. */

/** What it is, its unit, and the figure that it is compared with. */
export type Line = readonly [says: string, unit?: string, beside?: string];

export interface Group {
  readonly title: string;
  /** How it is measured. */
  readonly command: string;
  /** The figure that says how busy the machine was. */
  readonly load: string;
  /** What was measured, and what it is compared with. */
  readonly columns?: readonly [string, string];
  /** `…` stands for the number of devices: such figures share a row, with a column for each number. */
  readonly figures: Readonly<Record<string, Line>>;
}

export const groups: readonly Group[] = [
  {
    title: 'Memory, and growth',
    command: 'npm run bench:growth',
    load: 'growthLoad',
    columns: ['Handset', 'bare sockets'],
    figures: {
      memoryRatio: ['memory of an idle, connected device, against a bare socket', '×'],
      memoryPerDeviceMb: ['memory of an idle, connected device', 'MB', 'bareMemoryPerSocketMb'],
      memoryDevices: ['from 1 to so many of them'],
      'memory…Mb': ['resident memory, all idle', 'MB'],
      'bareMemory…Mb': ['bare sockets: resident memory', 'MB'],
      'reconnect…Seconds': ['all connected again after a stop', 's'],
      'reconnect…AfterKillSeconds': ['all connected again after `kill -9`', 's'],
      'reconnect…CpuSeconds': ['CPU time until all are connected again', 's'],
      'bareReconnect…Seconds': ['bare sockets: all connected again', 's'],
      'list…Ms': ['the list of all devices', 'ms'],
      'sendCpuMsWith…Devices': ['CPU time of a text, one at a time on each', 'ms'],
      'bareSendCpuMsWith…Devices': ['bare sockets: CPU time of a text', 'ms'],
      'receiveCpuMsWith…Devices': ['CPU time of a received message, one at a time to each', 'ms'],
      'bareReceiveCpuMsWith…Devices': ['bare sockets: CPU time of a received message', 'ms'],
    },
  },
  {
    title: 'Texts',
    command: 'npm run bench:all -- --only sends',
    load: 'sendsLoad',
    columns: ['Handset', 'bare sockets'],
    figures: {
      sendRatio1: ['texts a second with one device, against a bare socket', '×'],
      sendRatio20: ['texts a second with 20 devices, against bare sockets', '×'],
      perCoreRatio: ['texts a second and core (by CPU time) with 20 devices, against bare sockets', '×'],
      sendsPerSecond1: ['texts, one device', 'a second', 'bareSendsPerSecond1'],
      sendsPerSecond20: ['texts, 20 devices', 'a second', 'bareSendsPerSecond20'],
      sendCpuMs1: ['CPU time of a text, one device', 'ms', 'bareSendCpuMs1'],
      sendCpuMs20: ['CPU time of a text, 20 devices', 'ms', 'bareSendCpuMs20'],
      sendP50Ms: ['a text at half load, from the request to the answer, p50', 'ms'],
      sendP99Ms: ['a text at half load, from the request to the answer, p99', 'ms'],
      sendAddedP50Ms: ['time that a text at half load takes more than by a bare socket, p50', 'ms'],
      sendAddedP99Ms: ['time that a text at half load takes more than by a bare socket, p99', 'ms'],
    },
  },
  {
    title: 'Images sent',
    command: 'npm run bench:all -- --only images',
    load: 'imagesLoad',
    columns: ['Handset', 'bare socket'],
    figures: {
      imageRatio: ['images a second, against a bare socket', '×'],
      imageCopies: ['copies of an image of 10 MB in memory at the peak'],
      imageUrlCopies: ['the same by `mediaUrl`, after a first one'],
      imagesPerSecond: ['images', 'a second', 'bareImagesPerSecond'],
      imageCpuMs: ['CPU time of an image', 'ms', 'bareImageCpuMs'],
      imageKilobytes: ['size of each', 'kB'],
    },
  },
  {
    title: 'Messages received',
    command: 'npm run bench:all -- --only receives',
    load: 'receivesLoad',
    columns: ['Handset, to the webhook', 'bare sockets, decrypted'],
    figures: {
      receiveRatio: ['messages a second from the phone to the webhook, against what a bare socket decrypts', '×'],
      receiveRatio20: ['messages a second to the webhooks of 20 devices, against what bare sockets decrypt', '×'],
      receivesPerSecond1: ['messages, one device', 'a second', 'bareReceivesPerSecond1'],
      receivesPerSecond20: ['messages, 20 devices', 'a second', 'bareReceivesPerSecond20'],
      receiveCpuMs1: ['CPU time of a message, one device', 'ms', 'bareReceiveCpuMs1'],
      receiveCpuMs20: ['CPU time of a message, 20 devices', 'ms', 'bareReceiveCpuMs20'],
    },
  },
  {
    title: 'Cold start, and after a restart',
    command: 'npm run bench:all -- --only start',
    load: 'startLoad',
    figures: {
      coldStartMs: ['from the start of the program in an empty folder until it is ready', 'ms'],
      coldStartCpuMs: ['CPU time of such a start', 'ms'],
      reconnect50Seconds: ['50 devices connected again after a stop', 's'],
      reconnect50AfterKillSeconds: ['50 devices connected again after `kill -9`', 's'],
      reconnect50CpuSeconds: ['CPU time until 50 devices are connected again', 's'],
    },
  },
  {
    title: 'Memory over a day',
    command: 'npm run bench:day',
    load: 'dayLoad',
    figures: {
      dayDevices: ['devices in one process'],
      dayHours: ['hours that were played'],
      dayMinutes: ['time that it took', 'min'],
      dayKeepAlivesPerDevice: ['keep-alives of each device'],
      dayMessagesPerDevice: ['messages of each device, half of them sent'],
      dayReconnects: ['connections made again'],
      dayHeapFirstMb: ['what the process holds after a collection, first hour', 'MB'],
      dayHeapLastMb: ['what the process holds after a collection, last hour', 'MB'],
      dayHeapTrendMb: ['trend of that over the last two thirds of the hours', 'MB'],
      dayHeapTrendKbPerDevice: ['the same trend, for each device', 'kB'],
      dayResidentLastMb: ['resident memory after the last hour', 'MB'],
      dayCpuSeconds: ['CPU time of the service', 's'],
    },
  },
  {
    title: 'Several nodes, on one machine',
    command: 'npm run bench:cluster',
    load: 'clusterLoad',
    figures: {
      clusterDirectP50Ms: ["a text by the device's own node, p50", 'ms'],
      clusterForwardedP50Ms: ['a text by another node, p50', 'ms'],
      clusterForwardRatio: ['a text by another node, against one by its own', '×'],
      clusterSendsPerSecond1: ['texts on one node', 'a second'],
      clusterSendsPerSecond2: ['texts on two nodes', 'a second'],
      clusterSendsPerSecond3: ['texts on three nodes', 'a second'],
      clusterSendCpuMs1: ['CPU time of a text on one node', 'ms'],
      clusterSendCpuMs2: ['CPU time of a text on two nodes', 'ms'],
      clusterSendCpuMs3: ['CPU time of a text on three nodes', 'ms'],
      clusterDevices: ['devices on the node that is killed'],
      clusterMemoryPerDeviceMb: ['memory of that node for each', 'MB'],
      clusterEmptyNodeMb: ['memory of a node without devices', 'MB'],
      clusterTakeoverFirstSeconds: ['from the kill until the first of them is connected to another node', 's'],
      clusterTakeoverHalfSeconds: ['until half of them are', 's'],
      clusterTakeoverSeconds: ['until all of them are', 's'],
      clusterTakeoverPerSecond: ['connections, on the two nodes that are left', 'a second'],
      clusterTakeoverCpuMs: ['CPU time of these nodes for each device', 'ms'],
      clusterTakeoverStatements: ['statements to PostgreSQL for each device'],
      clusterJoined: ['devices of two nodes that a third one joins, half of them in use'],
      clusterJoinMoved: ['devices that move to it'],
      clusterJoinSeconds: ['until it has its share', 's'],
    },
  },
  {
    title: 'Cost of the sandbox',
    command: 'npm run bench:sandbox',
    load: 'sandboxLoad',
    figures: {
      sandboxRatio: ['texts that the sandbox carries a second of CPU, against those that the driver sends', '×'],
      sandboxMb: ['resident memory of the sandbox with its connections', 'MB'],
      sandboxConnections: ['idle connections meanwhile, each with its phone'],
      sandboxEmptyMb: ['resident memory of the sandbox without any', 'MB'],
      sandboxKbPerConnection: ['memory for each connection and its phone', 'kB'],
      sandboxCpuMs: ['CPU time of the sandbox for a text, with its phones', 'ms'],
      sandboxDriverCpuMs: ['CPU time of the driver with its store for the same text', 'ms'],
      sandboxLightCpuMs: ['CPU time of the sandbox for a text when all connections write at once', 'ms'],
    },
  },
  {
    title: 'Another runtime: Bun',
    command: 'npm run bench:runtime -- path/to/bun',
    load: 'runtimeLoad',
    columns: ['on Bun', 'on Node'],
    figures: {
      runtimeSendRatio1: ['texts a second of the service with one device, against Node', '×'],
      runtimeSendRatio20: ['texts a second of the service with 20 devices, against Node', '×'],
      runtimeBareSendRatio20: ['texts a second of 20 bare sockets, against Node', '×'],
      runtimeSendCpuMs20: ['CPU time of a text of the service', 'ms', 'runtimeNodeSendCpuMs20'],
      runtimeBareSendCpuMs20: ['CPU time of a text of a bare socket', 'ms', 'runtimeNodeBareSendCpuMs20'],
      runtimeResidentMb: ['resident memory of the service after it', 'MB', 'runtimeNodeResidentMb'],
    },
  },
];
