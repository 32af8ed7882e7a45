;; The commands of secret_items.py that secrets.el has, and
;;
;;     enabled                  print whether Emacs has found a service
;;     labelled LABEL           print the secret of the first item with this label
;;     delete-labelled LABEL    delete it
;;     auth-source HOST         print user and secret of the first item that auth-source finds
;;
;; A command that finds no item ends with 3.
(setq backtrace-on-error-noninteractive nil)
(require 'secrets)

(defun attributes-of (words)
  "The list of WORDS, in which each name is a keyword."
  (cl-loop for (name value) on words by #'cddr
           append (list (intern (concat ":" name)) value)))

(defun read-secret ()
  (with-temp-buffer
    (insert-file-contents "/dev/stdin")
    (encode-coding-string (buffer-string) 'utf-8)))

(defun print-secret (secret)
  (princ (decode-coding-string secret 'utf-8)))

(defun first-found (words)
  "The path of the first item with these attributes; without one, Emacs ends with 3."
  (or (car (apply #'secrets-search-item-paths "default" (attributes-of words)))
      (kill-emacs 3)))

(defun print-lines (lines)
  (dolist (line lines) (princ (concat line "\n"))))

(defun print-attributes (attributes)
  (let ((line (lambda (pair) (format "%s = %s" (substring (symbol-name (car pair)) 1) (cdr pair)))))
    (print-lines (sort (mapcar line attributes) #'string<))))

(defun print-auth-source (host)
  (require 'auth-source)
  (setq auth-sources '(default) auth-source-do-cache nil)
  (let ((found (car (auth-source-search :host host :require '(:user :secret)))))
    (unless found (kill-emacs 3))
    (princ (format "%s %s" (plist-get found :user) (funcall (plist-get found :secret))))))

(defun print-collections (new)
  "Create the NEW collections, and print the labels of all.
Emacs knows the new ones from the service's signals, for which it waits here."
  (secrets-get-collections)
  (dolist (label new)
    (secrets-create-collection label)
    (read-event nil nil 0.2))
  (print-lines (secrets-list-collections)))

(defun run-command (command words)
  (pcase command
    ("enabled" (princ secrets-enabled))
    ("create" (apply #'secrets-create-item "default" (car words) (read-secret) (attributes-of (cdr words))))
    ("lookup" (print-secret (secrets-get-secret "default" (first-found words))))
    ("search" (first-found words) (print-lines (apply #'secrets-search-items "default" (attributes-of words))))
    ("attributes" (print-attributes (secrets-get-attributes "default" (first-found words))))
    ("delete" (secrets-delete-item "default" (first-found words)))
    ("labelled" (print-secret (or (secrets-get-secret "default" (car words)) (kill-emacs 3))))
    ("delete-labelled" (secrets-delete-item "default" (car words)))
    ("auth-source" (print-auth-source (car words)))
    ("collections" (print-collections words))
    (_ (error "No command %s" command))))

(let ((words command-line-args-left))
  (setq command-line-args-left nil)
  (run-command (car words) (cdr words)))
