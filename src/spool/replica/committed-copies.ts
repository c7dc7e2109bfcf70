import type { FileSystem } from '../../filesystem/filesystem.ts'

/**
 * The same file system, whose new files are on as many data nodes as each group of the log: its events leave the log once their file
 * is there. @param least `collector.replicated.min`
 */
export const withCopiesOfLog = <T extends FileSystem>(fileSystem: T, least: () => number): T => ({
  ...fileSystem,
  publish: (path, source, options) => fileSystem.publish(path, source, { ...options, minReplication: least() }),
})
