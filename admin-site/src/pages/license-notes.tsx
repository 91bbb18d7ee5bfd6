import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Note } from '../api';
import { actorName } from '../format';
import { May } from '../permission';
import { useChange } from '../queries/change';
import { useNotes } from '../queries/licenses';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { Dim, Panel } from '../ui/page';
import { Loaded, Problem } from '../ui/states';
import { Moment } from '../ui/time';
import classes from './license.module.css';

function NewNote({ id }: { id: number }) {
  const [text, setText] = useState('');
  const create = useChange('createNote', { stale: [['notes', id]], done: () => t('Saved the note'), onSuccess: () => setText('') });
  return (
    <form
      className={classes['newNote']}
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate({ params: { id }, body: { text: text.trim() } });
      }}
    >
      <Textarea
        label={t('New note')}
        description={t('Only you and your colleagues see it.')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={2000}
        autosize
        minRows={2}
      />
      <Button type="submit" variant="default" loading={create.isPending} disabled={text.trim() === ''}>
        {t('Save the note')}
      </Button>
      {create.error && <Problem error={create.error} />}
    </form>
  );
}

function Delete({ id, note, onClose }: { id: number; note: Note; onClose: () => void }) {
  const remove = useChange('deleteNote', { stale: [['notes', id]], done: () => t('Deleted the note'), onSuccess: onClose });
  return (
    <DialogForm
      onSubmit={() => remove.mutate({ params: { id, note: note.id } })}
      onCancel={onClose}
      submit={t('Delete permanently')}
      danger
      busy={remove.isPending}
      error={remove.error}
    >
      <p className={classes['noteText']}>
        <bdi>{note.text}</bdi>
      </p>
    </DialogForm>
  );
}

/** The notes of operators about the license. */
export function Notes({ id }: { id: number }) {
  const query = useNotes(id);
  const [deleting, setDeleting] = useState<Note>();
  return (
    <Panel title={t('Notes')}>
      <Loaded query={query} lines={2}>
        {(notes) =>
          notes.length === 0 ? (
            <Dim>{t('No notes yet.')}</Dim>
          ) : (
            <ul className={classes['notes']}>
              {notes.map((note) => (
                <li key={note.id}>
                  <p className={classes['noteText']}>
                    <bdi>{note.text}</bdi>
                  </p>
                  <Dim>
                    <bdi>{actorName(note.actor_name)}</bdi>, <Moment at={note.at} />
                  </Dim>
                  <May call="deleteNote">
                    <Button
                      variant="default"
                      size="xs"
                      onClick={() => setDeleting(note)}
                      aria-label={t('Delete the note “{beginning}”', { beginning: note.text.split('\n', 1)[0]?.slice(0, 40) ?? '' })}
                    >
                      {t('Delete')}
                    </Button>
                  </May>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <May call="createNote">
        <NewNote id={id} />
      </May>
      <Dialog title={t('Delete this note?')} opened={deleting !== undefined} onClose={() => setDeleting(undefined)}>
        {deleting && <Delete id={id} note={deleting} onClose={() => setDeleting(undefined)} />}
      </Dialog>
    </Panel>
  );
}
