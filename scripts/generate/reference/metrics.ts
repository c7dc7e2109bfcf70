import { toTable } from '../markdown-table.ts'
import { askServer } from './running.ts'

/** Every family of `/metrics`: its type, its labels, what it says. */
export const metricReference = async (): Promise<string> => {
  const { metrics } = await askServer()
  const families = [...metrics.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)\n((?:[^#\n].*\n)*)/gm)]
  return toTable(
    ['Metric', 'Type', 'Labels', ''],
    families.map(([, name = '', help = '', type = '', samples = '']) => [
      `\`${name}\``,
      type,
      [...labelsOf(samples)].map(label => `\`${label}\``).join(', '),
      help.replaceAll('\\n', ' ').replaceAll('\\\\', '\\'),
    ]),
  )
}

/** Labels that every summary or histogram has are not labels of its family. */
const labelsOf = (samples: string): ReadonlySet<string> =>
  new Set(
    [...samples.matchAll(/[{,](\w+)="/g)]
      .map(([, label = '']) => label)
      .filter(label => !['le', 'quantile'].includes(label)),
  )
