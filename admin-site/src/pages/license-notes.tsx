import { Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Note } from '../api';
import { actorName } from '../format';
import { useChange } from '../queries/change';
import { useNotes } from '../queries/licenses';
import { t } from '../texts';
import { Act } from '../ui/act';
import { Confirm } from '../ui/confirm';
import { Dim, Panel } from '../ui/page';
import { PageForm } from '../ui/page-form';
import { Loaded } from '../ui/states';
import { Moment } from '../ui/time';
import { useFields } from '../ui/use-fields';
import classes from './license.module.css';

function NewNote({ id }: { id: number }) {
  const create = useChange('createNote', {
    stale: [['notes', id]],
    done: () => t('Saved the note'),
    onSuccess: () => change({ text: '' }),
  });
  const { values, field, change } = useFields({ text: '' }, create);
  const text = values.text.trim();
  return (
    <PageForm
      change={create}
      onSubmit={() => create.mutate({ params: { id }, body: { text } })}
      submit={t('Save the note')}
      disabled={text === ''}
    >
      <Textarea
        label={t('New note')}
        description={t('Only you and your colleagues see it.')}
        {...field('text')}
        maxLength={2000}
        autosize
        minRows={2}
      />
    </PageForm>
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
                  <Act
                    call="deleteNote"
                    size="xs"
                    onClick={() => setDeleting(note)}
                    aria-label={t('Delete the note “{beginning}”', { beginning: note.text.split('\n', 1)[0]?.slice(0, 40) ?? '' })}
                  >
                    {t('Delete')}
                  </Act>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <NewNote id={id} />
      <Confirm
        title={t('Delete this note?')}
        opened={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        call="deleteNote"
        request={deleting && (() => ({ params: { id, note: deleting.id } }))}
        submit={t('Delete permanently')}
        danger
        stale={[['notes', id]]}
        done={() => t('Deleted the note')}
      >
        <p className={classes['noteText']}>
          <bdi>{deleting?.text}</bdi>
        </p>
      </Confirm>
    </Panel>
  );
}
