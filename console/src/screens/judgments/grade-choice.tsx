// How well a record answers a question: four buttons, of which the pressed one takes the judgment back.
const GRADES = [
  { grade: 0, title: 'Not at all' },
  { grade: 1, title: 'A little' },
  { grade: 2, title: 'Well' },
  { grade: 3, title: 'Perfectly' },
];

interface GradeChoiceProps {
  /** Of the record. */
  readonly id: string;
  /** Null where nobody has judged it. */
  readonly grade: number | null;
  readonly disabled: boolean;
  readonly onGrade: (grade: number | null) => void;
}

export function GradeChoice({ id, grade: chosen, disabled, onGrade }: GradeChoiceProps) {
  return (
    <fieldset class="tabs grades" aria-label={`How well does ${id} answer?`}>
      {GRADES.map(({ grade, title }) => (
        <button
          key={grade}
          type="button"
          title={title}
          aria-label={`${grade}: ${title.toLowerCase()}`}
          aria-pressed={grade === chosen}
          aria-disabled={disabled}
          onClick={() => {
            if (!disabled) onGrade(grade === chosen ? null : grade);
          }}
        >
          {grade}
        </button>
      ))}
    </fieldset>
  );
}
