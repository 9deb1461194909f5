/** Description of each figure of `bench/results.json`, in the order of the table. */

/** The description, the unit, and the figure of bare sockets beside it. */
export type Line = readonly [says: string, unit?: string, beside?: string];

export const catalogue: Readonly<Record<string, Line>> = {
  sendRatio1: ['texts a second, one device: ratio', '×'],
  sendsPerSecond1: ['texts a second, one device', '', 'bareSendsPerSecond1'],
  sendCpuMs1: ['CPU time of a text, one device', 'ms', 'bareSendCpuMs1'],
  sendRatio20: ['texts a second, 20 devices: ratio', '×'],
  sendsPerSecond20: ['texts a second, 20 devices', '', 'bareSendsPerSecond20'],
  sendCpuMs20: ['CPU time of a text, 20 devices', 'ms', 'bareSendCpuMs20'],
  perCoreRatio: ['texts per CPU second, 20 devices: ratio', '×'],
  sendP50Ms: ['a text at half load, p50', 'ms'],
  sendP99Ms: ['a text at half load, p99', 'ms'],
  sendAddedP50Ms: ['added to a bare socket, p50', 'ms'],
  sendAddedP99Ms: ['added to a bare socket, p99', 'ms'],
  receiveRatio: ['received a second, one device: ratio', '×'],
  receivesPerSecond1: ['received a second, one device', '', 'bareReceivesPerSecond1'],
  receiveCpuMs1: ['CPU time of a received message, one device', 'ms', 'bareReceiveCpuMs1'],
  receiveRatio20: ['received a second, 20 devices: ratio', '×'],
  receivesPerSecond20: ['received a second, 20 devices', '', 'bareReceivesPerSecond20'],
  receiveCpuMs20: ['CPU time of a received message, 20 devices', 'ms', 'bareReceiveCpuMs20'],
  imageRatio: ['images a second: ratio', '×'],
  imagesPerSecond: ['images a second', '', 'bareImagesPerSecond'],
  imageCpuMs: ['CPU time of an image', 'ms', 'bareImageCpuMs'],
  imageCopies: ['peak memory of a 10 MB image, in copies'],
  documentPeakMb: ['memory that a document of 100 MB takes on its way', 'MB'],
  memoryRatio: ['memory of an idle device: ratio', '×'],
  memoryPerDeviceMb: ['memory of an idle device', 'MB', 'bareMemoryPerSocketMb'],
  memory1000Mb: ['process with 1,000 idle devices', 'MB', 'bareMemory1000Mb'],
  oneDeviceRatio: ['process with one idle device: ratio', '×'],
  oneDeviceMb: ['process with one idle device', 'MB', 'bareOneDeviceMb'],
  steadyMb: ['process under 100 messages a second, ten devices, ten minutes', 'MB'],
  reconnect1000Seconds: ['1,000 devices connected again after a stop', 's', 'bareReconnect1000Seconds'],
  reconnect1000AfterKillSeconds: ['1,000 devices connected again after `kill -9`', 's'],
  coldStartMs: ['first start, until ready', 'ms'],
  commandMs: ['`handset device list`, start to end', 'ms'],
};
