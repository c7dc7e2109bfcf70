const { hardwareConcurrency: cores, userAgent } = navigator

/** Processes that read files; other runtimes have no such processes. */
export const defaultReaders = !userAgent.startsWith('Node.js') ? 0 : cores < 4 ? 1 : 2

const half = Math.min(4, Math.max(1, Math.floor(cores / 2)))

/** Threads that take connections; other runtimes do not let several sockets share an address. */
export const defaultEdgeThreads = userAgent.startsWith('Node.js') ? half : 1

/** Threads that seal: the other half of the cores answers, and carries files to the file system. */
export const defaultSealThreads = half
