/** Where directories lay a moment ago: files are mostly read of a few directories, and each look goes through all above. */
export type DirectoryMemory = {
  /** @param resolve finds where it lies, if nobody knows */
  find(directory: string, resolve: (directory: string) => Promise<string>): Promise<string>
  forget(directory: string): void
}

const maxAgeMs = 1_000
/** Directories that are known at a time. */
const maxDirectories = 256

/** Makes the memory of one root. Whoever asks looks at what he opens: a directory may have become a link meanwhile. */
export const createDirectoryMemory = (nowMs: () => number = () => performance.now()): DirectoryMemory => {
  const known = new Map<string, { readonly place: Promise<string>; readonly until: number }>()
  const forget = (directory: string): void => void known.delete(directory)
  return {
    find: (directory, resolve) => {
      const one = known.get(directory)
      if (one !== undefined && nowMs() <= one.until) return one.place
      const place = resolve(directory)
      forget(directory)
      known.set(directory, { place, until: nowMs() + maxAgeMs })
      place.catch(() => forget(directory))
      const [oldest] = known.keys()
      if (known.size > maxDirectories && oldest !== undefined) forget(oldest)
      return place
    },
    forget,
  }
}
