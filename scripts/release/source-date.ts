/** The one time that everything in a release has, so that building it again gives the same bytes. */
import { execFileSync } from 'node:child_process'

/**
 * Seconds since the epoch: of `SOURCE_DATE_EPOCH` (https://reproducible-builds.org/docs/source-date-epoch/), else of the commit.
 * @throws Error outside a clone, where the variable is not set
 */
export const sourceDate = (): number => {
  const given = process.env['SOURCE_DATE_EPOCH']
  const text = given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }).trim()
  if (!/^\d+$/.test(text)) throw new Error(`SOURCE_DATE_EPOCH is seconds since 1970; found ${JSON.stringify(text)}`)
  return Number(text)
}
