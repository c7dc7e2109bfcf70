import { randomBytes } from 'node:crypto'

/** What a {@link temporaryName} begins with. */
const temporaryPrefix = '.sluice-'

/** Whether a file has a {@link temporaryName}. */
export const isTemporaryName = (name: string): boolean => /^\.sluice-[0-9a-f]{24}\.tmp$/.test(name)

/**
 * A unique name for a future file. Begins with a dot: Hadoop and the rows of a directory leave it out. Short and of
 * fixed length: a name of 255 bytes leaves no space for a suffix.
 */
export const temporaryName = (): string => `${temporaryPrefix}${randomBytes(12).toString('hex')}.tmp`
