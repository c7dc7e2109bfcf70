import { type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { isOfService } from '../../tables/metadata-versions.ts'

const metadataNames = /^(?:v\d{1,15}\.(?:gz\.)?metadata\.json(?:\.gz)?|version-hint\.text)$/

/** Partial listings of `metadata` that are looked through for that of a catalog service, which comes first by its name. */
const maxParts = 10

/**
 * What has written the metadata of the table that a directory is, by its name: the directory is its own catalog, or a service is.
 * Undefined of any other directory.
 */
export const findTableKind = async (
  fileSystem: Pick<FileSystem, 'listStatus'>,
  path: string,
  signal: AbortSignal,
): Promise<'own' | 'service' | undefined> => {
  const metadata = `${path}/metadata`
  try {
    // Most directories have nothing of that name, which is one call; and manifests, however many, have other names than these.
    for await (const part of fileSystem.listStatus(metadata, { startAfter: 'v', signal })) {
      const names = part.map(status => baseName(status.path))
      if (names.some(name => metadataNames.test(name))) return 'own'
      if (names.some(name => !name.startsWith('v'))) break
    }
    let parts = 0
    for await (const part of fileSystem.listStatus(metadata, { signal })) {
      if (part.some(status => isOfService(baseName(status.path)))) return 'service'
      if (++parts === maxParts) break
    }
    return undefined
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Whether a directory is not there, or not to be seen: what the caller may not list has no tables that he could read. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof FileSystemError && ['not-found', 'not-directory', 'denied'].includes(error.code)
