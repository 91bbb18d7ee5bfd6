/** @jsxImportSource preact */
import { useId, useState } from 'preact/hooks';
import type { PutMemberView } from '../../lambdas/contract/members';
import type { MemberRole, MemberView } from '../../lambdas/contract/resources';
import { addressesIn } from '../addresses';
import { call, pagesOf, Problem } from './api';
import type { CardProps } from './buyer';
import { texts } from './texts';
import { Alert, Button, dayOf, Field, Status, useRun, wordsFor, type Run } from './ui';

/** The people who may use a license, for its buyer and its managers (docs/spec/sign-in.md, Licenses of named people). */

const words = texts.members;

const problems: Readonly<Record<string, string>> = {
  no_seats: words.noSeats,
  license_revoked: texts.errors.licenseEnded,
  invalid_request: words.refused,
};

/** A longer list has a search. */
const MAX_UNSEARCHED = 8;

/** What happened to one person. */
interface Result {
  readonly email: string;
  readonly words: string;
}

const invitationOf = ({ invited, reason }: PutMemberView): string =>
  invited ? words.invited : reason === null ? words.notInvited : words.reasons[reason];

export function Members({ buyer, license, onChange, onLeft }: CardProps) {
  const [members, setMembers] = useState<readonly MemberView[]>();
  const [results, setResults] = useState<readonly Result[]>([]);
  const run = useRun(problems, buyer.isEnded);
  const { session } = buyer;
  const path = `/licenses/${license.id}/members`;

  const read = async (): Promise<void> => {
    const all: MemberView[] = [];
    for await (const page of pagesOf<MemberView>(path, session)) all.push(...page);
    setMembers(all);
    if (all.length !== license.members) onChange({ ...license, members: all.length, seats: { ...license.seats, used: all.length } });
  };
  /** Makes one request for each address, and shows what happened to each. A refusal of one does not stop the others. */
  const forEach = (emails: readonly string[], act: (email: string) => Promise<string>): void =>
    run.start(async () => {
      const done: Result[] = [];
      setResults([]);
      for (const email of emails) {
        const result = await act(email).catch((error: unknown) => {
          if (error instanceof Problem && error.status !== 0 && error.status !== 401) return wordsFor(error, problems);
          throw error;
        });
        done.push({ email, words: result });
        setResults([...done]);
      }
      await read();
    });
  const put = async (body: { email: string; role?: MemberRole; invite?: boolean }): Promise<PutMemberView> =>
    (await call<PutMemberView>('PUT', path, { session, body })).body;
  const remove = async (email: string): Promise<string> => {
    const id = members?.find((member) => member.email === email)?.id ?? '';
    await call('DELETE', `${path}/${id}`, { session });
    // A manager who leaves the license does not see it any more.
    if (id === license.member_id && license.role !== 'buyer') onLeft();
    return words.removed;
  };
  const setRole = (email: string, role: MemberRole): void =>
    run.start(async () => {
      await put({ email, role });
      await read();
    });

  return (
    <details onToggle={(event) => (event.currentTarget.open && !members ? run.start(read) : undefined)}>
      <summary>{words.heading(license.members ?? 0, license.seats.max)}</summary>
      <p>{words.hint}</p>
      {members ? (
        <>
          <Add busy={run.busy} onAdd={(emails) => forEach(emails, async (email) => words.added(invitationOf(await put({ email }))))} />
          <List
            members={members}
            run={run}
            onRole={setRole}
            onInvite={(emails) => forEach(emails, async (email) => invitationOf(await put({ email, invite: true })))}
            onRemove={(emails) => forEach(emails, remove)}
          />
        </>
      ) : null}
      {run.busy ? <p role="status">{texts.loading}</p> : null}
      <Status>
        {results.length === 0 ? null : (
          <ul>
            {results.map(({ email, words: result }) => (
              <li key={email}>
                <bdi>{email}</bdi>: {result}
              </li>
            ))}
          </ul>
        )}
      </Status>
      <Alert>{run.problem}</Alert>
    </details>
  );
}

function Add({ busy, onAdd }: { readonly busy: boolean; readonly onAdd: (emails: readonly string[]) => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [left, setLeft] = useState<string>();
  const { addresses, others } = addressesIn(text);
  // While somebody types the first address, it is not complete.
  const isRefused = others.length > 0 && (addresses.length > 0 || text === left);
  const add = (event: Event): void => {
    event.preventDefault();
    const rest = others.join('\n');
    setText(rest);
    setLeft(rest);
    if (addresses.length > 0) onAdd(addresses);
  };
  return (
    <form onSubmit={add}>
      <div class="field">
        <label for={id}>{words.addresses}</label>
        <textarea
          id={id}
          rows={3}
          required
          spellcheck={false}
          value={text}
          aria-describedby={`${id}-hint`}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <p id={`${id}-hint`} class="dim">
        {words.addressesHint}
      </p>
      <Alert>{isRefused ? words.noAddresses(others.length, others.slice(0, 3).join(', ')) : null}</Alert>
      <Button kind="main" type="submit" busy={busy} aria-disabled={addresses.length === 0}>
        {words.add(addresses.length)}
      </Button>
    </form>
  );
}

function List({
  members,
  run,
  onRole,
  onInvite,
  onRemove,
}: {
  readonly members: readonly MemberView[];
  readonly run: Run;
  readonly onRole: (email: string, role: MemberRole) => void;
  readonly onInvite: (emails: readonly string[]) => void;
  readonly onRemove: (emails: readonly string[]) => void;
}) {
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isAsked, setAsked] = useState(false);
  const found = members.filter(({ email }) => email.toLowerCase().includes(text.trim().toLowerCase()));
  const selected = members.map(({ email }) => email).filter((email) => chosen.includes(email));
  const act = (action: (emails: readonly string[]) => void): void => {
    action(selected);
    setChosen([]);
    setAsked(false);
  };
  return (
    <>
      {members.length > MAX_UNSEARCHED ? (
        <Field
          id={id}
          label={words.search}
          value={text}
          onValue={setText}
          input={{ required: false, type: 'search', autocomplete: 'off' }}
        />
      ) : null}
      <ul class="devices">
        {found.map(({ email, role, devices, last_seen_on }) => (
          <li key={email}>
            <label class="choice">
              <input
                type="checkbox"
                checked={chosen.includes(email)}
                onChange={(event) => setChosen(event.currentTarget.checked ? [...chosen, email] : chosen.filter((one) => one !== email))}
              />
              <span>
                <bdi class="name">{email}</bdi>
                <span class="dim">
                  {[words.devices(devices), ...(last_seen_on === null ? [] : [texts.licenses.lastSeen(dayOf(last_seen_on))])].join(' · ')}
                </span>
              </span>
            </label>
            <select
              aria-label={words.roleOf(email)}
              value={role}
              onChange={(event) => onRole(email, event.currentTarget.value === 'manager' ? 'manager' : 'member')}
            >
              <option value="member">{words.roles.member}</option>
              <option value="manager">{words.roles.manager}</option>
            </select>
          </li>
        ))}
      </ul>
      {selected.length > 0 ? (
        isAsked ? (
          <div class="question" role="group" aria-labelledby={`${id}-question`}>
            <p id={`${id}-question`}>{words.removeQuestion(selected.length)}</p>
            <div class="buttons">
              <Button kind="bad" busy={run.busy} onClick={() => act(onRemove)}>
                {words.removeConfirm(selected.length)}
              </Button>
              <Button onClick={() => setAsked(false)}>{texts.licenses.cancel}</Button>
            </div>
          </div>
        ) : (
          <div class="buttons">
            <Button onClick={() => setAsked(true)}>{words.remove(selected.length)}</Button>
            <Button busy={run.busy} onClick={() => act(onInvite)}>
              {words.inviteAgain}
            </Button>
          </div>
        )
      ) : null}
    </>
  );
}

/** Lets a member leave a license. */
export function Leave({ buyer, license, onLeft }: CardProps) {
  const [isAsked, setAsked] = useState(false);
  const run = useRun(problems, buyer.isEnded);
  const leave = (): void =>
    run.start(async () => {
      await call('DELETE', `/licenses/${license.id}/members/${license.member_id ?? ''}`, { session: buyer.session });
      onLeft();
    });
  return (
    <details open={isAsked} onToggle={(event) => setAsked(event.currentTarget.open)}>
      <summary>{words.leave}</summary>
      <p>{words.leaveHint}</p>
      <div class="buttons">
        <Button kind="bad" busy={run.busy} onClick={leave}>
          {words.leaveConfirm}
        </Button>
        <Button onClick={() => setAsked(false)}>{texts.licenses.cancel}</Button>
      </div>
      <Alert>{run.problem}</Alert>
    </details>
  );
}
