const { hardwareConcurrency: cores, userAgent } = navigator

/** Processes that read files; other runtimes have no such processes. */
export const defaultReaders = !userAgent.startsWith('Node.js') ? 0 : cores < 4 ? 1 : 2

/** Threads that seal: the other half of the cores answers, and carries files to the file system. */
export const defaultSealThreads = Math.min(4, Math.max(1, Math.floor(cores / 2)))
