import type { Recorder } from '../domain/event';
import { summaryOf, type AuditEntry, type AuditSubject, type RequestOrigin } from '../domain/audit';

/** The facts of an audit entry that has not yet received its id and its time. */
export type AuditFacts = Omit<AuditEntry, 'id' | 'at'>;

/** Facts about a write that become known only while its operation runs. */
interface Findings extends Partial<Omit<AuditSubject, 'summary'>> {
  /** The names of the changed fields, or other short details. */
  readonly details?: readonly string[];
}

/**
 * The audit entry of an admin write. The table object that an operation gets contains this trail. The function `transact` adds the entry to
 * the first transaction that the operation commits, so that every write is recorded.
 */
export class AuditTrail {
  private findings: Findings = {};
  private isRecorded = false;

  /**
   * @param facts the facts that are known from the request; the operation adds further facts
   * @param summary a description of the action, and the names of the fields in the request
   * @param skipsWebhook whether the events of the request must not be posted to the webhook
   */
  constructor(
    private readonly facts: Omit<AuditFacts, 'summary'>,
    private readonly summary: { readonly what: string; readonly details: readonly string[] },
    private readonly skipsWebhook = false,
  ) {}

  /** What the request knows about the events that it records. */
  get recorder(): Recorder {
    return { by: this.facts.actor_name, skipsWebhook: this.skipsWebhook };
  }

  get origin(): RequestOrigin {
    const { request_id, source_ip, user_agent } = this.facts;
    return { request_id, source_ip, user_agent };
  }

  /** Adds facts about the write. The audit entry contains the facts that were added before the entry's transaction was committed. */
  describe(findings: Findings): void {
    this.findings = { ...this.findings, ...findings };
  }

  /** The entry to write; undefined if it was already recorded. */
  entry(): AuditFacts | undefined {
    if (this.isRecorded) return undefined;
    const { details = this.summary.details, ...subject } = this.findings;
    return { ...this.facts, ...subject, summary: summaryOf(this.summary.what, details) };
  }

  /** Marks the entry as committed, so that later transactions do not write it again. */
  recorded(): void {
    this.isRecorded = true;
  }
}
