/** What SDKs do when the network fails, and what is in the files then. */
import { describe } from 'vitest'
import { describePart } from '../../suites/describe-part.ts'
import { collectorSenders, missingCollector } from './collector-sender.ts'
import { javaSenders, missingJava } from './java-senders.ts'
import { nodeSenders } from './node-senders.ts'
import { missingPython, pythonSenders } from './python-senders.ts'
import { testThroughFaults } from './send-through-faults.ts'
import type { Sender } from './sender.ts'

const testEach = (senders: Readonly<Record<string, Sender>>): void =>
  describe.each(Object.entries(senders))('%s: each event once', (_, sender) => testThroughFaults(sender))

describe('SDKs for Node', () => testEach(nodeSenders))
describePart('senders', missingPython, 'SDKs for Python', () => testEach(pythonSenders))
describePart('senders', missingJava, 'SDKs for Java', () => testEach(javaSenders))
describePart('senders', missingCollector, 'other programs', () => testEach(collectorSenders))
