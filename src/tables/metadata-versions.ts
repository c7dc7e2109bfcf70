import { hasCode } from '../filesystem/cluster/steps.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { findStatus } from '../filesystem/find-status.ts'
import { baseName } from '../filesystem/path.ts'
import { readFileWhole } from './files.ts'

/** Below the table. */
export const metadataName = (version: number): string => `metadata/v${version}.metadata.json`
export const hintName = 'metadata/version-hint.text'

/** Which versions of its metadata a table has in its directory. */
export const createVersions = (fileSystem: FileSystem) => {
  const exists = async (path: string, version: number): Promise<boolean> =>
    (await findStatus(fileSystem, `${path}/${metadataName(version)}`)) !== undefined

  const readHint = async (path: string): Promise<number> => {
    try {
      const text = (await readFileWhole(fileSystem, `${path}/${hintName}`, 100)).toString('utf8').trim()
      return /^\d{1,15}$/.test(text) ? Number(text) : 0
    } catch (error) {
      // One that is replaced in this moment, or damaged, is no more than a hint.
      if (hasCode(error, 'unavailable') || hasCode(error, 'denied')) throw error
      return 0
    }
  }

  const listHighest = async (path: string): Promise<number> => {
    let highest = 0
    try {
      for await (const part of fileSystem.listStatus(`${path}/metadata`))
        for (const status of part) {
          const [, digits] = /^v(\d{1,15})\.metadata\.json$/.exec(baseName(status.path)) ?? []
          highest = Math.max(highest, Number(digits ?? 0))
        }
    } catch (error) {
      if (!hasCode(error, 'not-found')) throw error
    }
    return highest
  }

  /** 0 where there is no table. */
  const findNewest = async (path: string): Promise<number> => {
    const hint = await readHint(path)
    let version = hint > 0 && (await exists(path, hint)) ? hint : await listHighest(path)
    while (version > 0 && (await exists(path, version + 1))) version++
    return version
  }

  return { readHint, findNewest }
}
